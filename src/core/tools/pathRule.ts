/**
 * What a value of a guard or of a setting says about paths: it covers the path it literally names and all that is below it,
 * whatever characters, Unicode form, case or slashes it is written with, and besides what it matches as a glob. Pure.
 */
import picomatch from 'picomatch';
import { lookAlikeKey } from '../paths';
import { literals, namesNothing, unquoted } from '../pathValue';
import type { Path } from '../ports';

export type PathTest = (path: Path) => boolean;

const OPTIONS = { dot: true, nocase: true };

function globTest(value: string, below: boolean): PathTest[] {
  const written = unquoted(value.trim()).normalize('NFC');
  const globs = [...new Set([written, written.replaceAll('\\', '/')])];
  return globs.flatMap((one) => {
    const not = one.startsWith('!') && !one.startsWith('!(');
    const glob = (not ? one.slice(1) : one).replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
    // A `!` inside of it is the library's affair.
    if (glob === '' || namesNothing(glob)) return [];
    const test = picomatch(below ? [glob, `${glob}/**`] : [glob], OPTIONS);
    return [not ? (path: Path) => !test(path) : (path: Path) => test(path)];
  });
}

/** Compiling globs costs far more than a test with them, and they hardly ever change: each list is compiled once. */
const compiled = new Map<string, PathTest>();
const MOST_LISTS = 64;

function compile(values: readonly string[], below: boolean): PathTest {
  const named = new Set(values.flatMap(literals).map((one) => lookAlikeKey(one, true)));
  const globs = values.flatMap((value) => globTest(value, below));
  const isNamed = (path: Path): boolean => {
    if (named.has('')) return true;
    const key = lookAlikeKey(path, true);
    if (named.has(key)) return true;
    for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1))
      if (named.has(key.slice(0, at))) return true;
    return false;
  };
  return (path) => {
    const plain = path.normalize('NFC');
    return globs.some((test) => test(plain)) || isNamed(path);
  };
}

/** Whether one of the values covers a path. `below`: what is below a match of a glob too. */
export function pathTest(values: readonly string[], below = false): PathTest {
  const key = `${below ? 1 : 0}\0${values.join('\0')}`;
  let test = compiled.get(key);
  if (!test) {
    if (compiled.size >= MOST_LISTS) compiled.clear();
    test = compile(values, below);
    compiled.set(key, test);
  }
  return test;
}
