/** Checks of what stands at a path afterwards. */
import fs from 'node:fs';
import { quote } from './textCheck';
import type { Content, FileCheck, OneOf } from './types';
import { bytesOf, type Place, type Seen } from './workspace';

/** What is wrong with a path, or undefined. */
export function checkFile(name: string, check: OneOf<FileCheck>, place: Place): string | undefined {
  if (check !== null && typeof check !== 'string' && 'oneOf' in check) {
    const wrong = check.oneOf.map((one) => checkFile(name, one, place));
    return wrong.some((w) => w === undefined)
      ? undefined
      : `${name}: none of ${wrong.length} fits: ${wrong.join(' | ')}`;
  }
  const problem = problemOf(name, check, place);
  return problem === undefined ? undefined : `${name}: ${problem}`;
}

function problemOf(name: string, check: FileCheck, place: Place): string | undefined {
  const seen = place.look(name);
  if (check === null) return seen.kind === 'missing' ? undefined : `must not exist, but there is ${describe(seen)}`;
  if (typeof check === 'string') return bytesProblem(check, name, place);
  if ('same' in check) return sameProblem(place.atStart.get(name), seen);
  if ('contains' in check) {
    const text = followed(name, place)?.toString('utf8');
    if (text === undefined) return `must be a file, but there is ${describe(seen)}`;
    const lacks = check.contains.filter((part) => !text.includes(part)).map((part) => `lacks ${quote(part)}`);
    const holds = (check.not ?? []).filter((part) => text.includes(part)).map((part) => `must not hold ${quote(part)}`);
    const wrong = [...lacks, ...holds];
    return wrong.length ? `${wrong.join(', ')}; it is ${quote(text)}` : undefined;
  }
  if ('link' in check)
    return seen.kind === 'link' && seen.target === check.link
      ? undefined
      : `must be a link to ${quote(check.link)}, but there is ${describe(seen)}`;
  if ('dir' in check) return seen.kind === 'directory' ? undefined : `must be a folder, but there is ${describe(seen)}`;
  if ('text' in check || 'hex' in check || 'repeat' in check) {
    const mode = 'text' in check && check.mode !== undefined ? modeProblem(check.mode, name, place) : undefined;
    return bytesProblem(check, name, place) ?? mode;
  }
  return modeProblem(check.mode, name, place);
}

function bytesProblem(content: Content, name: string, place: Place): string | undefined {
  const expected = bytesOf(content);
  const actual = followed(name, place);
  if (expected === undefined) throw new Error(`${name}: this content has no bytes`);
  if (actual === undefined) return `must be a file with ${bytes(expected)}, but there is ${describe(place.look(name))}`;
  return actual.equals(expected) ? undefined : `expected ${bytes(expected)}, is ${bytes(actual)}`;
}

function modeProblem(mode: string, name: string, place: Place): string | undefined {
  const wanted = parseInt(mode, 8);
  const stat = fs.statSync(place.at(name), { throwIfNoEntry: false });
  if (!stat) return `must have the mode ${mode}, but does not exist`;
  const actual = stat.mode & 0o7777;
  return actual === wanted ? undefined : `expected mode ${octal(wanted)}, is ${octal(actual)}`;
}

/** Bytes, not times. */
export function sameProblem(before: Seen | undefined, now: Seen): string | undefined {
  if (!before || before.kind === 'missing') return 'was not there at the start, so it cannot be the same';
  if (before.kind !== now.kind) return `was ${describe(before)}, and now there is ${describe(now)}`;
  if (before.target !== now.target) return `was a link to ${before.target}, and leads to ${now.target} now`;
  if (before.bytes && now.bytes && !before.bytes.equals(now.bytes))
    return `must be the same: was ${bytes(before.bytes)}, is ${bytes(now.bytes)}`;
  return undefined;
}

/** Files of the setup that changed in bytes or time although they are not listed. */
export function checkOnlyChanged(changed: readonly string[], place: Place): string[] {
  const wrong: string[] = [];
  for (const [name, before] of place.atStart) {
    if (changed.includes(name)) continue;
    const now = place.look(name);
    const problem = sameProblem(before, now);
    if (problem !== undefined) wrong.push(`onlyChanged: ${name} ${problem}`);
    else if (before.kind !== 'directory' && before.mtimeNs !== now.mtimeNs)
      wrong.push(`onlyChanged: ${name} has its bytes, but was written (its time changed)`);
  }
  return wrong;
}

/** Bytes of what the path leads to. */
function followed(name: string, place: Place): Buffer | undefined {
  try {
    return fs.readFileSync(place.at(name));
  } catch {
    return undefined;
  }
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');

/** As text where it is text, else as hexadecimal digits. */
function bytes(buffer: Buffer): string {
  const text = buffer.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(buffer) && !text.includes('\0') && !text.startsWith('\ufeff'))
    return quote(text);
  const hex = buffer.toString('hex');
  return `hex ${hex.length > 200 ? `${hex.slice(0, 200)}… (${buffer.length} bytes)` : hex}`;
}

function describe(seen: Seen): string {
  if (seen.kind === 'file') return `a file with ${bytes(seen.bytes ?? Buffer.alloc(0))}`;
  if (seen.kind === 'link') return `a link to ${quote(seen.target ?? '')}`;
  return { directory: 'a folder', missing: 'nothing', other: 'something else' }[seen.kind];
}
