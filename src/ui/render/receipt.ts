/** A receipt as text: its one line first, then what it means, all seven fields, in words. Pure. */
import { compensable, mayCompensate } from '../../core/run/compensable';
import type { Evidence, Receipt, RunState } from '../../core/run/state';
import { callWords } from './call';
import { isStanding } from './standing';
import { EFFECT, FATE, INTENT, oneLine, outcomeOf, PHASE, RECOVERY, runLine, stamp } from './words';

const AUTHORITY: Readonly<Record<Receipt['authority'], [now: string, then: string]>> = {
  full: ['full: the run may go on when you resume it', 'full: the run could go on when you resumed it'],
  closing: [
    'closing: it may read, verify and record, and change nothing else',
    'closing: it could read, verify and record, and change nothing else',
  ],
  revoked: ['revoked: it may start nothing any more', 'revoked: it could start nothing any more'],
};

const became = (before: string | null, after: string | null): string =>
  before === after ? 'as it was' : before === null ? 'created' : after === null ? 'deleted' : 'changed';

const numberOf = (id: string): number => Number(/(\d+)$/.exec(id)?.[1]);

/** What a line of a receipt leads to. */
export type ReceiptTarget =
  | { to: 'step' | 'approval'; n: number }
  | { to: 'file'; path: string; before: string | null; after: string | null }
  | { to: 'undo'; stepId: string };

/** A line of the document; `words`: the part of it that is a link, `id`: what it names, for those who look closer. */
interface Line {
  line: string;
  words: string;
  target: ReceiptTarget;
  id?: string;
}

/** A process is read in the document of its step: that has the output. `of`: the step that the lines above are about. */
function evidence(e: Evidence, of: number, s: RunState): Line {
  const made = (words: string, more: string, target: ReceiptTarget, id?: string): Line => ({
    line: `${words}${more}`,
    words,
    target,
    ...(id === undefined ? {} : { id }),
  });
  switch (e.kind) {
    case 'step': {
      const n = numberOf(e.stepId);
      const title = s.steps[n - 1]?.title ?? '';
      return made(`step ${n}`, title === '' ? '' : `: ${oneLine(title, 100)}`, { to: 'step', n }, e.stepId);
    }
    case 'file': {
      const { path, before, after } = e;
      const hashes = `${before ?? 'nothing'} → ${after ?? 'nothing'}`;
      return made(`file ${path}`, `: ${became(before, after)}`, { to: 'file', path, before, after }, hashes);
    }
    case 'process':
      return made(`process ${e.pid}`, `: ${e.exit}`, { to: 'step', n: of });
    case 'approval': {
      const n = numberOf(e.decisionId);
      const asked = s.decisions.find((d) => d.id === e.decisionId);
      const fate = asked ? `: ${FATE[asked.state]} (${oneLine(asked.title, 100)})` : '';
      return made(`approval ${n}`, fate, { to: 'approval', n }, e.decisionId);
    }
    default:
      // Of a later version.
      return { line: 'evidence that only a later version can show', words: '', target: { to: 'step', n: of } };
  }
}

function evidenceLines(s: RunState, r: Receipt): Line[] {
  let of = 0;
  return r.evidence.map((e) => {
    if (e.kind === 'step') of = numberOf(e.stepId);
    return evidence(e, of, s);
  });
}

const list = (lines: readonly string[]): string =>
  lines.length === 0 ? 'None.' : lines.map((line) => `- ${line}`).join('\n');

/** Names padded to one width: plain text with a fixed font shows it as a table. */
function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, value]) => `${`${name}:`.padEnd(width)}${value}`).join('\n');
}

function effect(s: RunState, e: Receipt['effects'][number]): string {
  const step = s.steps.find((one) => one.id === e.stepId);
  const ended = outcomeOf({ ...(step ?? { id: e.stepId }), outcome: e.outcome }, null);
  const said = e.effect === 'notStarted' || (e.effect === 'failedBeforeCommit' && e.outcome.endsWith('BeforeEffect'));
  const undo = s.steps.findLast((one) => one.compensates === e.stepId && one.outcome === 'done');
  const undone = undo ? `; undone by step ${undo.n}` : '';
  const facts = said ? ended : `${ended}, effect ${EFFECT[e.effect]}${undone}`;
  return `${e.n}. ${oneLine(e.title, 100)}: ${facts}`;
}

/** Of the newest receipt, which says how things stand: what can be undone, and by what. */
function undoLines(s: RunState, r: Receipt): Line[] {
  if (r !== s.receipts.at(-1) || !mayCompensate(s)) return [];
  return compensable(s).map(({ step, undo }): Line => {
    const words = `Undo step ${step.n}`;
    return {
      line: `${words}: ${callWords(undo.tool, undo.args)}`,
      words,
      target: { to: 'undo', stepId: step.id },
      id: step.id,
    };
  });
}

/** What became of the run after a stop that is past. */
function since(s: RunState): string {
  switch (s.status) {
    case 'completed':
      return 'it has completed since';
    case 'aborted':
      return 'it was aborted since';
    case 'failed':
      return 'it has failed since';
    default:
      return 'it has gone on since';
  }
}

function resumeWords(r: Receipt, live: boolean): string {
  const from = r.resume.checkpoint === 0 ? 'the start' : `the checkpoint after step ${r.resume.checkpoint}`;
  const expired = r.resume.expiredApprovals.length;
  const lost = expired === 0 ? '' : `; ${expired === 1 ? 'an approval' : `${expired} approvals`} had expired`;
  if (!r.resume.allowed) return `not allowed: the run ${live ? 'has' : 'had'} ended${lost}`;
  return `${live ? 'allowed' : 'was allowed'}, from ${from}${lost}`;
}

/** A receipt is true of its moment: once the run has gone on it is told as what was. */
function one(r: Receipt, s: RunState): string {
  const live = isStanding(s, r);
  const proof = evidenceLines(s, r).map(({ line }) => line);
  const undo = undoLines(s, r).map(({ line }) => line);
  return [
    `## ${INTENT[r.intent]}${r.forced ? ', forced' : ''} · ${stamp(r.at)}`,
    live ? r.message : `${r.message}\n\nHow the run stood then; ${since(s)}.`,
    table([
      ['Resume', resumeWords(r, live)],
      ['Recovery', live || r.recovery === 'none' ? RECOVERY[r.recovery] : `${RECOVERY[r.recovery]} (at that time)`],
      ['Phase', r.phase === null ? 'none' : PHASE[r.phase]],
      ['Boundary', r.boundary === 0 ? 'the start' : `after step ${r.boundary}`],
      ['Authority', AUTHORITY[r.authority][live ? 0 : 1]],
    ]),
    `Effects:\n${list(r.effects.map((e) => effect(s, e)))}`,
    `Evidence:\n${list(proof)}`,
    ...(undo.length === 0 ? [] : [`What can be undone, the last step first:\n${list(undo)}`]),
  ].join('\n\n');
}

/** Newest first. */
export function renderReceipts(s: RunState): string {
  const all = s.receipts.toReversed().map((r) => one(r, s));
  const none = 'No stop has happened yet: pause, take over or abort makes a receipt.';
  return `# Receipts\n\n${runLine(s)}\n\n${all.length === 0 ? none : all.join('\n\n')}\n`;
}

export interface ReceiptLink {
  start: number;
  end: number;
  target: ReceiptTarget;
  /** For a tooltip: ids and hashes stand nowhere in the text. */
  id?: string;
}

/** Where in the text which line leads; what the text does not hold (it may be older than the state) has no link. */
export function receiptLinks(s: RunState, text: string): ReceiptLink[] {
  let from = 0;
  return s.receipts
    .toReversed()
    .flatMap((r) => [...evidenceLines(s, r), ...undoLines(s, r)])
    .flatMap(({ line, words, target, id }) => {
      const found = text.indexOf(`\n- ${line}\n`, Math.max(0, from - 1));
      if (found < 0 || words === '') return [];
      const start = found + 3;
      from = start + line.length;
      return [{ start, end: start + words.length, target, ...(id === undefined ? {} : { id }) }];
    });
}
