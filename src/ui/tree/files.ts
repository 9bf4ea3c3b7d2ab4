/** Files the run has touched, by whom, and those it has only read. Pure. */
import { countOwned } from '../../core/lineRanges';
import type { FileRecord, RunState } from '../../core/run/state';
import { ITEMS } from '../../vscode/ids';
import { plural } from '../render/words';
import type { TreeNode } from './node';
import { section } from './section';

const unsavedPaths = (s: RunState): ReadonlySet<string> =>
  new Set(
    s.steps.flatMap((step) =>
      step.effect === 'committed' ? step.changes.filter((c) => c.unsaved).map((c) => c.path) : [],
    ),
  );

function fileWords(f: FileRecord, unsaved: boolean): string {
  if (f.deletedByHuman) return f.renamedTo === undefined ? 'you deleted it' : `you renamed it to ${f.renamedTo}`;
  if (unsaved) return 'unsaved: commands see the older file';
  if (f.keptUnsaved) return 'kept unsaved for you';
  if (f.by === 'human') return f.written === undefined ? 'you changed it' : 'agent, then you';
  if (f.by === 'read') return 'read';
  return f.written === null
    ? 'agent deleted it'
    : f.original === null
      ? 'agent made it'
      : f.human
        ? 'agent and you'
        : 'agent changed it';
}

function fileRow(f: FileRecord, unsaved: boolean): TreeNode {
  const touched = f.by !== 'read';
  const yours = countOwned(f.owned?.ranges ?? []);
  const words = `${fileWords(f, unsaved)}${yours > 0 ? `, ${plural(yours, 'line')} of yours` : ''}`;
  // Where only the agent has been, the last checkpoint is what is there now: what it changed is the difference to the start.
  const from = f.by === 'agent' ? 'start' : 'last';
  return {
    id: `file:${f.path}`,
    label: f.path.slice(f.path.lastIndexOf('/') + 1),
    description: [f.path.includes('/') ? f.path.slice(0, f.path.lastIndexOf('/')) : '', words]
      .filter(Boolean)
      .join(' · '),
    tooltip: `${f.path}\n${words}${touched ? `\n\nClick to see what changed since ${from === 'start' ? 'before the run' : 'the checkpoint'}.` : ''}`,
    spoken: `File ${f.path}, ${words}`,
    context: unsaved ? ITEMS.unsavedFile : ITEMS.file,
    path: f.path,
    action: touched && !f.noBlob ? { do: 'compare', path: f.path, from } : { do: 'openFile', path: f.path },
    children: [],
  };
}

/** `dirty`: paths with an unsaved document now; the state knows only that a change went into one. */
export function filesSection(s: RunState, dirty: ReadonlySet<string>): TreeNode[] {
  const into = unsavedPaths(s);
  const row = (f: FileRecord): TreeNode => fileRow(f, into.has(f.path) && dirty.has(f.path));
  const touched = s.files.filter((f) => f.by !== 'read' || f.deletedByHuman).map(row);
  // What the run looked at before its first step is nothing that it has read.
  const seen = new Set(s.steps.flatMap((step) => step.seen?.map(({ path }) => path) ?? []));
  const read = s.files.filter((f) => f.by === 'read' && !f.deletedByHuman && seen.has(f.path)).map(row);
  const only: TreeNode[] =
    read.length === 0
      ? []
      : [
          {
            id: `${s.runId}/read`,
            label: 'Only read',
            description: String(read.length),
            icon: { id: 'book' },
            children: read,
          },
        ];
  return section(
    s,
    'Files',
    'files',
    [...touched, ...only],
    touched.length === 0 ? 'none changed' : `${plural(touched.length, 'file')} touched`,
  );
}
