/** Parts of a strict validator: each reports what is wrong with a value and where it stands. */

/** Reports what is wrong with a value; `at` is where it stands, e.g. `script[2].human`. */
export type Check = (value: unknown, at: string, bad: (text: string) => void) => void;
type Keys = Record<string, Check | [Check]>;

export const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

export const plain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const test =
  (what: string, ok: (value: unknown) => boolean): Check =>
  (value, at, bad) => {
    if (!ok(value)) bad(`${at} must be ${what}, not ${show(value)}`);
  };

export const text = test('text', (v) => typeof v === 'string');
export const word = test('non-empty text', (v) => typeof v === 'string' && v !== '');
export const flag = test('true or false', (v) => typeof v === 'boolean');
export const yes = test('true', (v) => v === true);
export const whole = test('a whole number', (v) => Number.isSafeInteger(v));
export const count = test('a whole number, 0 or more', (v) => Number.isSafeInteger(v) && (v as number) >= 0);
export const positive = test('a whole number, 1 or more', (v) => Number.isSafeInteger(v) && (v as number) >= 1);
export const mode = test('an octal mode such as "0755"', (v) => typeof v === 'string' && /^0?[0-7]{3,4}$/.test(v));
export const hex = test('hexadecimal digits in pairs', (v) => typeof v === 'string' && /^([0-9a-f]{2})*$/i.test(v));
export const anything: Check = () => undefined;
export const among = (...values: string[]): Check =>
  test(values.map((v) => `"${v}"`).join(' or '), (v) => values.includes(v as string));
export const path = test('a relative path', (v) => typeof v === 'string' && v !== '' && !v.startsWith('/'));

/** An object with these keys; one in brackets is required. */
export const shape =
  (keys: Keys): Check =>
  (value, at, bad) => {
    if (!plain(value)) return bad(`${at} must be an object, not ${show(value)}`);
    for (const [key, entry] of Object.entries(value)) {
      const known = Object.hasOwn(keys, key) ? keys[key] : undefined;
      if (!known) bad(`unknown key ${JSON.stringify(key)} in ${at || 'the scenario'}`);
      else (Array.isArray(known) ? known[0] : known)(entry, at ? `${at}.${key}` : key, bad);
    }
    for (const [key, known] of Object.entries(keys))
      if (Array.isArray(known) && !Object.hasOwn(value, key))
        bad(`${at || 'the scenario'} lacks ${JSON.stringify(key)}`);
  };

export const empty = shape({});

export const list =
  (of: Check): Check =>
  (value, at, bad) => {
    if (!Array.isArray(value)) return bad(`${at} must be a list, not ${show(value)}`);
    value.forEach((entry, i) => of(entry, `${at}[${i}]`, bad));
  };

export const record =
  (of: Check, key: Check = anything): Check =>
  (value, at, bad) => {
    if (!plain(value)) return bad(`${at} must be an object, not ${show(value)}`);
    for (const [name, entry] of Object.entries(value)) {
      key(name, `a key of ${at}`, bad);
      of(entry, `${at}[${JSON.stringify(name)}]`, bad);
    }
  };

/** The form that goes with the one key of several that tells the forms apart. */
export const form =
  (what: string, forms: Record<string, Check>): Check =>
  (value, at, bad) => {
    const key = plain(value) ? Object.keys(forms).find((k) => Object.hasOwn(value, k)) : undefined;
    const check = key === undefined ? undefined : forms[key];
    if (check) return check(value, at, bad);
    bad(`${at} must be ${what} (with one of the keys ${Object.keys(forms).join(', ')}), not ${show(value)}`);
  };

export const textOr =
  (other: Check): Check =>
  (value, at, bad) =>
    typeof value === 'string' ? undefined : other(value, at, bad);

/** The value itself or `{ "oneOf": [...] }` of such values. */
export const oneOf =
  (of: Check): Check =>
  (value, at, bad) => {
    if (plain(value) && Object.hasOwn(value, 'oneOf')) {
      shape({ oneOf: [list(of)] })(value, at, bad);
      if (Array.isArray(value.oneOf) && value.oneOf.length === 0) bad(`${at}.oneOf is empty`);
    } else of(value, at, bad);
  };
