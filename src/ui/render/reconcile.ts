/** What the last reconcile found, as text: verdicts and diffs, and whether the agent was told. Pure. */
import { gitLines } from '../../core/git';
import type { FileVerdict, Report } from '../../core/reconcile/report';
import type { RunState } from '../../core/run/state';
import { renderImported } from './imported';
import { oneLine, plural, runLine, VERDICT } from './words';

function file(f: FileVerdict): string {
  const size = f.before.size === f.after.size ? '' : `, ${f.before.size} → ${f.after.size} bytes`;
  const facts = [
    f.verdict === 'humanRenamed' && f.newPath !== undefined ? `you renamed it to ${f.newPath}` : VERDICT[f.verdict],
    f.unsaved ? 'in an unsaved editor' : '',
    f.binary ? 'binary' : '',
    f.remark ?? '',
  ].filter(Boolean);
  const diff = f.diff === undefined || f.diff === '' ? '' : `\n\n${f.diff.trimEnd()}`;
  return `## ${f.path}\n\n${facts.join(', ')}${size}${diff}`;
}

const git = (news: NonNullable<Report['git']>): string =>
  `## Git\n\n${gitLines(news)
    .map((line) => `- ${line}`)
    .join('\n')}`;

function elsewhere({ changes, partial }: NonNullable<Report['elsewhere']>): string {
  const rows = changes.map(
    (one) => `- ${oneLine(one.path, 200)}: ${one.kind}${one.background ? ', maybe by a command of the run' : ''}`,
  );
  if (partial !== undefined) rows.push(`- Not fully known: ${partial}.`);
  return `## Elsewhere in the workspace\n\n${rows.join('\n')}`;
}

export function renderReconcile(s: RunState): string {
  const of = runLine(s);
  const head = `# What changed while the run stood still\n\n${of}`;
  const report = s.report;
  if (!report && s.importedFrom)
    return `# What differs from where the run comes from\n\n${of}\n\n${renderImported(s.importedFrom)}\n`;
  if (!report)
    return `${head}\n\nNothing was compared yet: resume or hand back looks at every file the run has read or written.\n`;
  const n = report.files.length;
  const sum = `${plural(report.checked, 'file')} checked, ${n === 0 ? 'none changed' : `${n} changed`}.`;
  const parts = [head, sum];
  if (report.note) parts.push(`## Your note\n\n${report.note}`);
  if (report.git) parts.push(git(report.git));
  parts.push(...report.files.map(file));
  if (report.elsewhere) parts.push(elsewhere(report.elsewhere));
  if (report.plan.length > 0) parts.push(`## Plan\n\n${report.plan.map((line) => `- ${line}`).join('\n')}`);
  if (report.text === '') parts.push('The agent was told nothing: there was nothing to tell.');
  else
    parts.push(
      s.model.fixed
        ? 'A playbook reads no report and no note; each of its writes is checked against what is there.'
        : 'The agent is told all of this, once, before anything else.',
    );
  return `${parts.join('\n\n')}\n`;
}
