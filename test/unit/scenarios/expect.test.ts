import assert from 'node:assert/strict';
import { rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import type { Decision, Note, RunState } from '../../../src/core/run/state';
import { checkExpectations, type Facts } from '../../scenarios/expect';
import { fingerprint } from '../../scenarios/fingerprint';
import type { Living } from '../../scenarios/processes';
import type { Expect } from '../../scenarios/types';
import type { Place } from '../../scenarios/workspace';
import { facts, receipt, somePlace, state, step } from './facts';

describe('scenario expectations', () => {
  let place: Place;
  before(async () => {
    const files = { 'a.txt': 'one\n', 'same.txt': 's\n', 'm.sh': { text: 'x\n', mode: '0755' }, ln: { link: 'a.txt' } };
    place = await somePlace({ files: { ...files, 'd/k': 'k\n', ['__proto__']: 'p\n' } });
  });
  after(() => rmSync(place.root, { recursive: true }));

  const wrong = (expect: Expect, more: Partial<Facts> = {}): Promise<string[]> =>
    checkExpectations(expect, facts(place, more));
  /** Each holds, and each of the others fails with the message. */
  async function holds(expect: Expect, more: Partial<Facts> = {}): Promise<void> {
    assert.deepEqual(await wrong(expect, more), []);
  }
  async function fails(expect: Expect, message: RegExp, more: Partial<Facts> = {}): Promise<void> {
    const found = await wrong(expect, more);
    assert.ok(found.length > 0, `${JSON.stringify(expect)} must fail`);
    assert.match(found.join('\n'), message);
  }

  it('status', async () => {
    await holds({ status: 'completed' });
    await holds({ status: { oneOf: ['paused', 'completed'] } });
    await fails({ status: 'paused' }, /status: expected paused, is completed/);
    await fails({ status: { oneOf: ['paused', 'aborted'] } }, /expected paused or aborted, is completed/);
    await fails({ status: 'completed' }, /is no run/, { state: undefined });
    await fails({ steps: [] }, /steps: there is no run/, { state: undefined });
  });

  it('files: content, absence, links, folders, modes', async () => {
    await holds({
      files: {
        'a.txt': 'one\n',
        nope: null,
        ln: { link: 'a.txt' },
        d: { dir: true },
        'm.sh': { text: 'x\n', mode: '0755' },
        'same.txt': { same: true },
        'd/k': { hex: '6b0a' },
      },
    });
    await holds({ files: { 'a.txt': { repeat: 'one\n', times: 1 }, 'm.sh': { mode: '755' } } });
    await holds({ files: { 'a.txt': { contains: ['on'], not: ['two'] }, 'same.txt': { oneOf: [null, 's\n'] } } });
    await fails({ files: { 'a.txt': 'two\n' } }, /a\.txt: expected "two\\n", is "one\\n"/);
    await fails({ files: { 'a.txt': null } }, /a\.txt: must not exist, but there is a file/);
    await fails({ files: { ln: null } }, /must not exist, but there is a link to "a\.txt"/);
    await fails({ files: { nope: 'x' } }, /nope: must be a file with "x", but there is nothing/);
    await fails({ files: { 'a.txt': { link: 'b' } } }, /must be a link to "b"/);
    await fails({ files: { ln: { link: 'b' } } }, /must be a link to "b", but there is a link to "a\.txt"/);
    await fails({ files: { 'a.txt': { dir: true } } }, /must be a folder/);
    await fails({ files: { 'm.sh': { text: 'x\n', mode: '0644' } } }, /expected mode 0644, is 0755/);
    await fails({ files: { 'a.txt': { mode: '0600' } } }, /expected mode 0600/);
    await fails({ files: { 'a.txt': { hex: '00' } } }, /expected hex 00/);
    await fails({ files: { 'a.txt': { contains: ['two'] } } }, /lacks "two"/);
    await fails({ files: { 'a.txt': { contains: [], not: ['one'] } } }, /must not hold "one"/);
    await fails({ files: { 'a.txt': { oneOf: [null, 'x'] } } }, /none of 2 fits/);
    await fails({ files: { nope: { same: true } } }, /was not there at the start/);
  });

  it('files whose names are names of object members', async () => {
    const named = (content: string): NonNullable<Expect['files']> =>
      JSON.parse(`{"__proto__":${JSON.stringify(content)}}`) as NonNullable<Expect['files']>;
    await holds({ files: named('p\n') });
    await fails({ files: named('q\n') }, /__proto__: expected "q\\n", is "p\\n"/);
    await fails(
      { reconcile: JSON.parse('{"__proto__":"humanEdited"}') as NonNullable<Expect['reconcile']> },
      /__proto__.*not reported/,
      {
        state: state({ report: { files: [], checked: 1, plan: [], text: '' } }),
      },
    );
  });

  it('same and onlyChanged compare with the start', async () => {
    const other = await somePlace({ files: { a: 'a\n', b: 'b\n', c: 'c\n', l: { link: 'a' } } });
    const look = (expect: Expect): Promise<string[]> => checkExpectations(expect, facts(other));
    assert.deepEqual(await look({ onlyChanged: [] }), []);
    writeFileSync(other.at('a'), 'A\n');
    assert.match((await look({ onlyChanged: [] })).join(), /onlyChanged: a must be the same: was "a\\n", is "A\\n"/);
    assert.match((await look({ files: { a: { same: true } } })).join(), /must be the same/);
    assert.deepEqual(await look({ onlyChanged: ['a'] }), []);
    utimesSync(other.at('b'), 1, 1);
    assert.deepEqual(await look({ files: { b: { same: true } } }), [], 'same does not look at times');
    assert.match((await look({ onlyChanged: ['a'] })).join(), /b has its bytes, but was written/);
    rmSync(other.at('c'));
    assert.match((await look({ onlyChanged: ['a', 'b'] })).join(), /c was a file .*, and now there is nothing/);
    rmSync(other.at('l'));
    symlinkSync('b', other.at('l'));
    assert.match((await look({ onlyChanged: ['a', 'b', 'c'] })).join(), /l was a link to a, and leads to b now/);
    rmSync(other.root, { recursive: true });
  });

  it('steps: complete, in order, keys left out not compared', async () => {
    const two = { state: state({ steps: [step(1, { tool: 'read_file', effect: 'notStarted' }), step(2)] }) };
    await holds(
      { steps: [{ outcome: 'done' }, { n: 2, tool: 'write_file', outcome: 'done', effect: 'committed' }] },
      two,
    );
    await fails({ steps: [{ outcome: 'done' }] }, /steps: expected 1, are 2/, two);
    await fails({ steps: [] }, /steps: expected 0, are 2/, two);
    await fails({ steps: [{ outcome: 'done' }, { outcome: 'done' }, { outcome: 'done' }] }, /expected 3, are 2/, two);
    await fails(
      { steps: [{ outcome: 'done' }, { outcome: 'failed' }] },
      /steps\[1\]\.outcome: expected failed, is done/,
      two,
    );
    await fails({ steps: [{ tool: 'write_file', outcome: 'done' }, { outcome: 'done' }] }, /steps\[0\]\.tool/, two);
    await fails({ steps: [{ outcome: 'done', effect: 'committed' }, { outcome: 'done' }] }, /steps\[0\]\.effect/, two);
    await fails({ steps: [{ n: 2, outcome: 'done' }, { outcome: 'done' }] }, /steps\[0\]\.n: expected 2, is 1/, two);
  });

  it('decisions, notes and receipts', async () => {
    const decisions = [{ id: 'd', kind: 'approval', path: 'a.txt', state: 'granted' } as Decision];
    const notes = [{ id: 'n', text: 'more', state: 'queued' } as Note];
    const more = { state: state({ decisions, notes, receipts: [receipt()] }) };
    await holds({ decisions: [{ kind: 'approval', path: 'a.txt', state: 'granted' }] }, more);
    await fails({ decisions: [] }, /decisions: expected 0, are 1/, more);
    await fails({ decisions: [{ kind: 'conflict' }] }, /expected conflict, is approval/, more);
    await fails({ decisions: [{ kind: 'approval', path: 'b.txt' }] }, /path: expected "b\.txt", is "a\.txt"/, more);
    await fails({ decisions: [{ kind: 'approval', state: 'rejected' }] }, /expected rejected, is granted/, more);
    await holds({ notes: [{ text: 'more', state: 'queued' }] }, more);
    await fails({ notes: [{ text: 'more', state: 'delivered' }] }, /expected delivered, is queued/, more);
    await fails({ notes: [] }, /notes: expected 0, are 1/, more);
    const full = { intent: 'pause', authority: 'full', recovery: 'resume', resumable: true, message: 'boundary' };
    await holds({ receipts: [full] }, more);
    await fails({ receipts: [{ ...full, resumable: false }] }, /resumable: expected false, is true/, more);
    await fails({ receipts: [{ ...full, authority: 'revoked' }] }, /expected revoked, is full/, more);
    await fails({ receipts: [{ ...full, recovery: 'none' }] }, /expected none, is resume/, more);
    await fails({ receipts: [{ ...full, message: 'unknown' }] }, /message lacks "unknown"/, more);
    await fails({ receipts: [{ ...full, message: { not: ['Paused'] } }] }, /message must not hold "Paused"/, more);
    await fails({ receipts: [] }, /receipts: expected 0, are 1/, more);
  });

  it('reconcile: complete, without unchanged', async () => {
    const file = (path: string, verdict: string): object => ({ path, verdict });
    const report = (...files: object[]): Partial<Facts> => ({
      state: state({ report: { files, checked: 1, plan: [], text: '' } as unknown as RunState['report'] }),
    });
    await holds({ reconcile: {} }, report(file('a', 'unchanged')));
    await holds({ reconcile: { a: 'humanEdited' } }, report(file('a', 'humanEdited')));
    await fails({ reconcile: {} }, /reconcile: a: humanEdited is not expected/, report(file('a', 'humanEdited')));
    await fails({ reconcile: { a: 'humanEdited' } }, /expected humanEdited, is not reported/, report());
    await fails(
      { reconcile: { a: 'humanEdited' } },
      /expected humanEdited, is humanDeleted/,
      report(file('a', 'humanDeleted')),
    );
    await fails({ reconcile: {} }, /reconcile: there was none/);
  });

  it('requests: number and texts', async () => {
    const requests = [{ text: 'goal' }, { text: 'goal one two' }, { text: 'goal two two' }];
    const more = { requests, resumedAt: 1 };
    await holds({ requests: { count: 3, max: 3, first: { contains: ['goal'] }, last: { not: ['one'] } } }, more);
    await holds({ requests: { afterResume: { once: ['one'], inOrder: ['one', 'two'], maxChars: 12 } } }, more);
    await fails({ requests: { count: 2 } }, /expected 2, are 3/, more);
    await fails({ requests: { max: 2 } }, /at most 2, are 3/, more);
    await fails({ requests: { last: { contains: ['one'] } } }, /requests\.last lacks "one"/, more);
    await fails({ requests: { last: { once: ['two'] } } }, /"two" once, not 2 times/, more);
    await fails({ requests: { last: { once: ['one'] } } }, /"one" once, not 0 times/, more);
    await fails({ requests: { last: { not: ['two'] } } }, /must not hold "two"/, more);
    await fails({ requests: { afterResume: { inOrder: ['two', 'one'] } } }, /"one" stands too early/, more);
    await fails({ requests: { afterResume: { inOrder: ['one', 'three'] } } }, /"three" is not in it/, more);
    await fails({ requests: { afterResume: { maxChars: 3 } } }, /12 characters, more than 3/, more);
    await fails({ requests: { afterResume: { not: ['x'] } } }, /there is no such request/, { requests });
    await fails({ requests: { afterResume: { not: ['x'] } } }, /there is no such request/, { requests, resumedAt: 3 });
    await fails({ requests: { first: {} } }, /requests\.first: there is no such request/);
  });

  it('processes: none, or named', async () => {
    const living: Living[] = [{ pid: 4711, parent: 1, marker: 'run-1/s1', command: 'sleep 60' }];
    const process = { id: { pid: 4711, startTime: '1', command: 'sleep 60' }, marker: 'run-1/s1', background: false };
    const frozen = state({
      status: 'paused',
      frozen: 's1',
      steps: [step(1, { outcome: 'running', effect: 'requested', process })],
    });
    await holds({ processes: 'none' });
    await holds({ processes: 'named' }, { living, state: frozen });
    await fails({ processes: 'none' }, /still alive: 4711 \(sleep 60\)/, { living, state: frozen });
    await fails({ processes: 'named' }, /alive and not named: 4711/, { living });
  });

  it('times, storage, buffers, named runs', async () => {
    await holds({ settledWithinMs: { 0: 50 } }, { settled: new Map([[0, 49]]) });
    await fails({ settledWithinMs: { 0: 50 } }, /took 51 ms, more than 50/, { settled: new Map([[0, 51]]) });
    await fails({ settledWithinMs: { 0: 50 } }, /has not settled/, { settled: new Map([[0, undefined]]) });

    await fails({ storage: { notContains: ['x'] } }, /it is empty/);
    writeFileSync(`${place.storage}/blob`, 'text with a canary inside');
    await holds({ storage: { notContains: ['parrot'], maxBytes: 100 } });
    await fails({ storage: { notContains: ['canary'] } }, /"canary" stands in blob/);
    await fails({ storage: { maxBytes: 3 } }, /25 bytes, more than 3/);
    const storageBefore = await fingerprint(place.storage, { content: true });
    await holds({ storage: { maxBytes: 3 } }, { storageBefore });
    writeFileSync(`${place.storage}/blob`, 'text with a canary outside');
    await fails({ storage: { notContains: ['canary'] } }, /"canary" stands in blob/, { storageBefore });
    await fails({ storage: { maxBytes: 3 } }, /does not tell/, { storage: undefined });

    const buffer = { buffer: () => Promise.resolve({ text: 'x', dirty: true }) };
    await holds({ buffers: { a: { text: 'x', dirty: true } } }, buffer);
    await fails({ buffers: { a: { text: 'y', dirty: true } } }, /expected "y", is "x"/, buffer);
    await fails({ buffers: { a: { text: 'x', dirty: false } } }, /expected not dirty, is dirty/, buffer);
    await fails({ buffers: { a: { text: 'x', dirty: true } } }, /a is not open/);

    const named = new Map([['B', 'paused' as const]]);
    await holds({ runs: { B: 'paused' } }, { named });
    await fails({ runs: { B: 'completed' } }, /expected completed, is paused/, { named });
    await fails({ runs: { C: 'completed' } }, /is no run/, { named });
  });
});
