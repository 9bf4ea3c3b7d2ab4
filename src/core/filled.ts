/** Puts the arguments of a call in the place of `${name}`, in texts at any depth. */
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

export function filled(value: unknown, args: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([^{}]+)\}/g, (whole, name: string) =>
      Object.hasOwn(args, name) ? asText(args[name]) : whole,
    );
  }
  if (Array.isArray(value)) return value.map((one) => filled(one, args));
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, args)]));
  return value;
}
