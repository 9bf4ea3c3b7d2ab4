/** What the last reconcile found, file by file; nothing where it found nothing. Pure. */
import type { RunState } from '../../core/run/state';
import { plural, VERDICT } from '../render/words';
import type { TreeNode } from './node';

const KIND = { created: 'created', changed: 'changed', deleted: 'deleted' } as const;
/** The report has them all. */
const SHOWN = 50;

export function reportRows(s: RunState): TreeNode[] {
  const { report } = s;
  const { files = [], elsewhere, git } = report ?? {};
  const others = elsewhere?.changes ?? [];
  if (files.length + others.length === 0 && !git) return [];
  const row = (path: string, words: string, gone: boolean): TreeNode => ({
    id: `${s.runId}/report/${path}`,
    label: path.slice(path.lastIndexOf('/') + 1),
    description: [path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '', words].filter(Boolean).join(' · '),
    tooltip: `${path}\n${words}`,
    spoken: `File ${path}, ${words}`,
    path,
    action: gone ? { do: 'reconcile' } : { do: 'openFile', path },
    children: [],
  });
  const rows = [
    ...files.map(({ path, verdict, newPath }) =>
      row(
        newPath ?? path,
        newPath === undefined ? VERDICT[verdict] : `you renamed it from ${path}`,
        verdict === 'humanDeleted',
      ),
    ),
    // Whose doing that was is not known: a background command may have done it.
    ...others.map(({ path, kind }) => row(path, `${KIND[kind]}, not by a step`, kind === 'deleted')),
  ];
  const facts = [
    ...(files.length > 0 ? [plural(files.length, 'file')] : []),
    ...(others.length > 0 ? [plural(others.length, 'other file')] : []),
  ];
  return [
    {
      id: `${s.runId}/report`,
      label: 'What you changed',
      description: facts.join(', ') || 'the repository moved',
      tooltip: 'What the last reconcile found. Click to open the report.',
      icon: { id: 'git-compare' },
      action: { do: 'reconcile' },
      children: rows.slice(0, SHOWN),
    },
  ];
}
