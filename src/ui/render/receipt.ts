/** A receipt as text: its one line first, then what it means, all seven fields, in words. Pure. */
import type { Evidence, Receipt, RunState } from '../../core/run/state';
import { EFFECT, INTENT, oneLine, outcomeOf, PHASE, RECOVERY, stamp } from './words';

const AUTHORITY: Readonly<Record<Receipt['authority'], string>> = {
  full: 'full: the run may go on when you resume it',
  closing: 'closing: it may read, verify and record, and change nothing else',
  revoked: 'revoked: it may start nothing any more',
};

const short = (hash: string | null): string => (hash === null ? 'nothing' : hash.slice(0, 12));

/** undefined: it says no more than the table of effects. */
function evidence(e: Evidence): string | undefined {
  switch (e.kind) {
    case 'step':
      return undefined;
    case 'file':
      return `file ${e.path}: ${short(e.before)} → ${short(e.after)}`;
    case 'process':
      return `process ${e.pid}: ${e.exit}`;
    case 'approval':
      return `approval ${e.decisionId}`;
    default:
      return oneLine(JSON.stringify(e), 200);
  }
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
  const facts = said ? ended : `${ended}, effect ${EFFECT[e.effect]}`;
  return `${e.n}. ${oneLine(e.title, 100)} (${e.tool}): ${facts}`;
}

function one(r: Receipt, s: RunState): string {
  const from = r.resume.checkpoint === 0 ? 'the start' : `the checkpoint after step ${r.resume.checkpoint}`;
  const expired = r.resume.expiredApprovals.length;
  const resume = r.resume.allowed ? `allowed, from ${from}` : 'not allowed: the run has ended';
  const proof = r.evidence.map(evidence).filter((line) => line !== undefined);
  return [
    `## ${INTENT[r.intent]}${r.forced ? ', forced' : ''} · ${stamp(r.at)}`,
    r.message,
    table([
      ['Resume', resume + (expired === 0 ? '' : `; ${expired === 1 ? 'an approval' : `${expired} approvals`} expired`)],
      ['Recovery', RECOVERY[r.recovery]],
      ['Phase', r.phase === null ? 'none' : PHASE[r.phase]],
      ['Boundary', r.boundary === 0 ? 'the start' : `after step ${r.boundary}`],
      ['Authority', AUTHORITY[r.authority]],
    ]),
    `Effects:\n${list(r.effects.map((e) => effect(s, e)))}`,
    ...(proof.length === 0
      ? [`Evidence: ${r.effects.length === 0 ? 'none' : 'the steps above'}.`]
      : [`Evidence:\n${list(proof)}`]),
  ].join('\n\n');
}

/** Newest first. */
export function renderReceipts(s: RunState): string {
  const all = s.receipts.toReversed().map((r) => one(r, s));
  const none = 'No stop has happened yet: pause, take over or abort makes a receipt.';
  return `# Receipts\n\nRun ${s.runId}: ${oneLine(s.goal, 160)}\n\n${all.length === 0 ? none : all.join('\n\n')}\n`;
}
