/** Compares what a scenario expects with what is true at its end. Everything wrong is listed, nothing is guessed. */
import { checkFile, checkOnlyChanged } from './fileCheck';
import { filesBelow, fingerprint } from './fingerprint';
import type { RunState, RunStatus } from '../../src/core/run/state';
import { type Living, showLiving, unnamed } from './processes';
import { checkText, quote } from './textCheck';
import type { Expect, OneOf, ReceiptCheck, TextCheck } from './types';
import type { Place } from './workspace';

/** What is true at the end of the script. */
export interface Facts {
  place: Place;
  /** The run that is meant when none is named; undefined: there is none. */
  state: RunState | undefined;
  /** Status by the names of `start: { as }`. */
  named: ReadonlyMap<string, RunStatus | undefined>;
  requests: readonly { text: string }[];
  /** How many requests had come at the last resume or hand back; undefined: there was none. */
  resumedAt: number | undefined;
  /** Milliseconds from press to settled by index of the action; undefined: it has not settled. */
  settled: ReadonlyMap<number, number | undefined>;
  /** What the scenario's runs started and what lives now. */
  living: readonly Living[];
  storage: string | undefined;
  /** Fingerprint of what stood there before the scenario: where a host keeps its storage, only what is new counts. */
  storageBefore: ReadonlyMap<string, string>;
  buffer(path: string): Promise<{ text: string; dirty: boolean } | undefined>;
}

/** Everything wrong, one sentence each. */
export async function checkExpectations(expect: Expect, facts: Facts): Promise<string[]> {
  const { state, place } = facts;
  const wrong: string[] = [];
  if (expect.status !== undefined && !fits(expect.status, state?.status ?? 'no run'))
    wrong.push(`status: expected ${words(expect.status)}, is ${statusWords(state)}`);
  for (const [name, check] of Object.entries(expect.files ?? {})) {
    const problem = checkFile(name, check, place);
    if (problem !== undefined) wrong.push(`files: ${problem}`);
  }
  if (expect.onlyChanged) wrong.push(...checkOnlyChanged(expect.onlyChanged, place));
  for (const [name, check] of Object.entries(expect.buffers ?? {})) {
    const buffer = await facts.buffer(name);
    if (!buffer) wrong.push(`buffers: ${name} is not open`);
    else {
      if (buffer.text !== check.text)
        wrong.push(`buffers: ${name}: expected ${quote(check.text)}, is ${quote(buffer.text)}`);
      if (buffer.dirty !== check.dirty)
        wrong.push(
          `buffers: ${name}: expected ${check.dirty ? 'dirty' : 'not dirty'}, is ${buffer.dirty ? 'dirty' : 'not dirty'}`,
        );
    }
  }
  wrong.push(...checkState(expect, state), ...checkRequests(expect.requests, facts));
  if (expect.processes) wrong.push(...checkProcesses(expect.processes, facts));
  for (const [index, limit] of Object.entries(expect.settledWithinMs ?? {})) {
    const ms = facts.settled.get(Number(index));
    if (ms === undefined) wrong.push(`settledWithinMs: action ${index} has not settled`);
    else if (ms > limit) wrong.push(`settledWithinMs: action ${index} took ${Math.round(ms)} ms, more than ${limit}`);
  }
  if (expect.storage) wrong.push(...(await checkStorage(expect.storage, facts)));
  for (const [name, status] of Object.entries(expect.runs ?? {})) {
    const actual = facts.named.get(name) ?? 'no run';
    if (!fits(status, actual)) wrong.push(`runs: ${name}: expected ${words(status)}, is ${actual}`);
  }
  return wrong;
}

function checkState(expect: Expect, state: RunState | undefined): string[] {
  const wrong: string[] = [];
  const lists: [string, object[] | undefined, object[]][] = [
    ['steps', expect.steps, state?.steps ?? []],
    ['decisions', expect.decisions, state?.decisions ?? []],
    ['receipts', expect.receipts, state?.receipts ?? []],
    ['notes', expect.notes, state?.notes ?? []],
  ];
  for (const [what, wanted] of lists) if (wanted && !state) wrong.push(`${what}: there is no run`);
  if (!state) return expect.reconcile ? [...wrong, 'reconcile: there is no run'] : wrong;
  for (const [what, wanted, actual] of lists) if (wanted) wrong.push(...checkList(what, wanted, actual));
  if (expect.reconcile) wrong.push(...checkReconcile(new Map(Object.entries(expect.reconcile)), state));
  return wrong;
}

/** Complete and in order; keys left out of an entry are not compared. */
function checkList(what: string, wanted: readonly object[], actual: readonly object[]): string[] {
  const keys = [...new Set(wanted.flatMap((w) => Object.keys(w)))];
  const shown = actual.map((a) => brief(a, keys)).join(', ');
  if (wanted.length !== actual.length)
    return [`${what}: expected ${wanted.length}, are ${actual.length}: [${quote(shown, 1500).slice(1, -1)}]`];
  const wrong: string[] = [];
  wanted.forEach((want, i) => {
    for (const [key, value] of Object.entries(want)) {
      const is = valueOf(actual[i] ?? {}, key);
      if (key === 'message')
        wrong.push(...checkMessage(value as ReceiptCheck['message'], String(is), `${what}[${i}].message`));
      else if (!fits(value, is))
        wrong.push(`${what}[${i}].${key}: expected ${words(value)}, is ${words(is)}${hint(actual[i])}`);
    }
  });
  return wrong;
}

/** Why a step ended as it did, or what is asked: what one wants to know first. */
function hint(entry: unknown): string {
  const { text, title } = entry as { text?: unknown; title?: unknown };
  const about = typeof text === 'string' && text !== '' ? text : title;
  return typeof about === 'string' ? ` (${quote(about)})` : '';
}

function checkMessage(check: ReceiptCheck['message'], message: string, what: string): string[] {
  if (check === undefined) return [];
  if (typeof check === 'string') return checkText({ contains: [check] }, message, what);
  if ('oneOf' in check)
    return check.oneOf.some((one) => message.includes(one))
      ? []
      : [`${what} holds none of ${check.oneOf.map((o) => quote(o)).join(', ')}: ${quote(message)}`];
  return checkText(check, message, what);
}

/** `resumable` stands for `resume.allowed` of a receipt. */
function valueOf(entry: object, key: string): unknown {
  const values = new Map<string, unknown>(Object.entries(entry));
  if (key !== 'resumable') return values.get(key);
  return (values.get('resume') as { allowed?: boolean } | undefined)?.allowed;
}

const brief = (entry: object, keys: readonly string[]): string =>
  `{${keys.map((k) => `${k} ${String(valueOf(entry, k))}`).join(' ')}}`;

/** Path → verdict, complete without `unchanged`; a rename stands under its old path. */
function checkReconcile(wanted: ReadonlyMap<string, OneOf<string>>, state: RunState): string[] {
  if (!state.report) return ['reconcile: there was none'];
  const actual = new Map(state.report.files.filter((f) => f.verdict !== 'unchanged').map((f) => [f.path, f.verdict]));
  const wrong: string[] = [];
  for (const [path, verdict] of wanted) {
    const is = actual.get(path) ?? 'not reported';
    if (!fits(verdict, is)) wrong.push(`reconcile: ${path}: expected ${words(verdict)}, is ${is}`);
  }
  for (const [path, verdict] of actual)
    if (!wanted.has(path)) wrong.push(`reconcile: ${path}: ${verdict} is not expected`);
  return wrong;
}

function checkRequests(expect: Expect['requests'], { requests, resumedAt }: Facts): string[] {
  if (!expect) return [];
  const wrong: string[] = [];
  const { count, max } = expect;
  if (count !== undefined && requests.length !== count)
    wrong.push(`requests: expected ${count}, are ${requests.length}`);
  if (max !== undefined && requests.length > max)
    wrong.push(`requests: expected at most ${max}, are ${requests.length}`);
  const look = (name: string, check: TextCheck | undefined, request: { text: string } | undefined): void => {
    if (!check) return;
    if (request) wrong.push(...checkText(check, request.text, `requests.${name}`));
    else wrong.push(`requests.${name}: there is no such request`);
  };
  look('first', expect.first, requests[0]);
  look('last', expect.last, requests.at(-1));
  look('afterResume', expect.afterResume, resumedAt === undefined ? undefined : requests[resumedAt]);
  return wrong;
}

function checkProcesses(expect: 'none' | 'named', { living, state }: Facts): string[] {
  const alive = expect === 'named' && state ? unnamed(living, state) : living;
  if (alive.length === 0) return [];
  return [`processes: ${expect === 'none' ? 'still alive' : 'alive and not named'}: ${showLiving(alive)}`];
}

async function checkStorage(expect: NonNullable<Expect['storage']>, facts: Facts): Promise<string[]> {
  const { storage, storageBefore } = facts;
  if (storage === undefined) return ['storage: this host does not tell where it is'];
  const wrong: string[] = [];
  const now = storageBefore.size > 0 ? await fingerprint(storage, { content: true }) : new Map<string, string>();
  let size = 0;
  let files = 0;
  for await (const { name, bytes } of filesBelow(storage)) {
    if (storageBefore.has(name) && storageBefore.get(name) === now.get(name)) continue;
    files++;
    size += bytes.length;
    for (const text of expect.notContains ?? [])
      if (bytes.includes(text) || name.includes(text)) wrong.push(`storage: ${quote(text)} stands in ${name}`);
  }
  if (files === 0 && expect.notContains) wrong.push('storage: it is empty, so nothing could be looked for');
  if (expect.maxBytes !== undefined && size > expect.maxBytes)
    wrong.push(`storage: ${size} bytes, more than ${expect.maxBytes}`);
  return wrong;
}

/** The value or one of the values. */
export function fits(wanted: unknown, actual: unknown): boolean {
  if (typeof wanted === 'object' && wanted !== null && 'oneOf' in wanted)
    return (wanted.oneOf as unknown[]).includes(actual);
  return wanted === actual;
}

export function words(wanted: unknown): string {
  if (typeof wanted === 'object' && wanted !== null && 'oneOf' in wanted)
    return (wanted.oneOf as unknown[]).map(words).join(' or ');
  return typeof wanted === 'string' ? (/^\w+$/.test(wanted) ? wanted : quote(wanted)) : String(wanted);
}

const statusWords = (state: RunState | undefined): string =>
  state ? `${state.status}${state.reason ? ` (${state.reason.code}: ${state.reason.text})` : ''}` : 'no run';
