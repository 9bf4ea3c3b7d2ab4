/** A receipt as text: all seven fields, in words. Pure. */
import type { Evidence, Receipt, RunState } from '../../core/run/state';
import { EFFECT, INTENT, oneLine, PHASE, RECOVERY, stamp } from './words';

const AUTHORITY: Readonly<Record<Receipt['authority'], string>> = {
  full: 'full: the run may go on when you resume it',
  closing: 'closing: it may read, verify and record, and change nothing else',
  revoked: 'revoked: it may start nothing any more',
};

const short = (hash: string | null): string => (hash === null ? 'nothing' : hash.slice(0, 12));

function evidence(e: Evidence): string {
  switch (e.kind) {
    case 'step':
      return `step ${e.stepId}`;
    case 'file':
      return `file ${e.path}: ${short(e.before)} → ${short(e.after)}`;
    case 'process':
      return `process ${e.pid}: ${e.exit}`;
    case 'approval':
      return `approval ${e.decisionId}`;
  }
}

const list = (lines: readonly string[]): string =>
  lines.length === 0 ? 'None.' : lines.map((line) => `- ${line}`).join('\n');

function one(r: Receipt): string {
  const effects = r.effects.map(
    (e) => `${e.n}. ${oneLine(e.title, 100)} (${e.tool}): effect ${EFFECT[e.effect]}; ${e.evidence}`,
  );
  const resume = r.resume.allowed
    ? `allowed, from ${r.resume.checkpoint === 0 ? 'the start' : `the checkpoint after step ${r.resume.checkpoint}`}`
    : 'not allowed: the run has ended';
  const expired =
    r.resume.expiredApprovals.length === 0 ? '' : `; approvals that expired: ${r.resume.expiredApprovals.join(', ')}`;
  return [
    `## ${INTENT[r.intent]}${r.forced ? ', forced' : ''} · ${stamp(r.at)}`,
    r.message,
    `Phase: ${r.phase === null ? 'none' : PHASE[r.phase]}`,
    `Boundary: ${r.boundary === 0 ? 'the start' : `after step ${r.boundary}`}`,
    `Authority: ${AUTHORITY[r.authority]}`,
    `Recovery: ${RECOVERY[r.recovery]}`,
    `Resume: ${resume}${expired}`,
    `Effects:\n${list(effects)}`,
    `Evidence:\n${list(r.evidence.map(evidence))}`,
  ].join('\n\n');
}

/** Newest first. */
export function renderReceipts(s: RunState): string {
  const all = s.receipts.toReversed().map(one);
  const none = 'No stop has happened yet: pause, take over or abort makes a receipt.';
  return `# Receipts\n\nRun ${s.runId}: ${oneLine(s.goal, 160)}\n\n${all.length === 0 ? none : all.join('\n\n')}\n`;
}
