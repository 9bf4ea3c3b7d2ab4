/**
 * How long a server asks to wait, in ms from `now` (ms since 1970); undefined: it does not say, or not in a form that is known.
 * `retry-after-ms` (a number) goes before `Retry-After` (seconds, or an HTTP date; RFC 9110, 10.2.3).
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const ms = number(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const value = headers.get('retry-after');
  const seconds = number(value);
  if (seconds !== undefined) return seconds * 1000;
  // Else `Date` takes numbers, negative ones too, for years.
  const date = value !== null && /[a-z]{3}/i.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function number(value: string | null): number | undefined {
  return value !== null && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Math.ceil(Number(value)) : undefined;
}
