/** How a run that came from another machine found this workspace, as text. Pure. */
import type { Base } from '../../core/transfer/archive';
import { baseVerdict, type ImportedFrom } from '../../core/transfer/differences';
import { oneLine, plural, stamp } from './words';

const SHOWN = 500;

const standing = (base: Base | null): string =>
  base === null ? 'no repository' : `${base.branch ?? 'detached HEAD'}@${base.head?.slice(0, 10) ?? 'no commit'}`;

/** One line: how many of its files are here as it knew them. */
export function differenceLine(from: ImportedFrom): string {
  const { same, different, missing, extra, unreadable } = from.files;
  const parts = [
    [different.length, 'different'],
    [missing.length, 'missing'],
    [extra.length, 'here and not there'],
    [unreadable.length, 'not to be compared'],
  ] as const;
  const facts = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  const files = `${plural(same, 'file')} the same${facts.length > 0 ? `, ${facts.join(', ')}` : ''}`;
  return baseVerdict(from) === 'different' ? `${files}; another commit` : files;
}

/** How many files of the run are not here what they were to it. */
export const differing = ({ files }: Pick<ImportedFrom, 'files'>): number =>
  files.different.length + files.missing.length + files.extra.length + files.unreadable.length;

/** There is something to show. */
export const differsHere = (from: ImportedFrom): boolean => differing(from) > 0 || baseVerdict(from) === 'different';

/** What is said of an import: that it happened, from where, and how this folder stands to it. `file`: the file's name. */
export function importedWords(from: ImportedFrom, file: string, paused: boolean): string {
  const n = differing(from);
  const files =
    n === 0 ? 'none of its files differs here' : `${plural(n, 'file')} of it ${n === 1 ? 'differs' : 'differ'} here`;
  const commit = baseVerdict(from) === 'different' ? '; another commit is checked out' : '';
  const engine = from.engine === undefined ? '' : ` ${from.engine}`;
  return `Imported from ${file} (exported ${stamp(from.exportedAt)})${paused ? ', paused' : ''}: ${files}${commit}.${engine}`;
}

function section(title: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const rows = paths.slice(0, SHOWN).map((path) => `- ${oneLine(path, 200)}`);
  if (paths.length > SHOWN) rows.push(`- and ${paths.length - SHOWN} more`);
  return [`## ${title}\n\n${rows.join('\n')}`];
}

const COMMIT = {
  same: 'The same commit is checked out here.',
  different:
    'Another commit is checked out here: Resume asks before anything goes on, where the branch is another one too.',
  unknown: 'Neither there nor here is a repository.',
} as const;

export function renderImported(from: ImportedFrom): string {
  const { files } = from;
  return [
    `Imported ${stamp(from.at)}; it was exported ${stamp(from.exportedAt)}. In this workspace: ${differenceLine(from)}.`,
    ...(from.engine === undefined ? [] : [`What drives it cannot be used here yet. ${from.engine}`]),
    ...(from.folders
      ? [
          `It worked in the folders ${from.folders.join(', ')}, which are not those of this workspace: its paths begin with their names.`,
        ]
      : []),
    `## Commit\n\n${COMMIT[baseVerdict(from)]}\n\n- there: ${standing(from.base)}\n- here: ${standing(from.here)}`,
    ...section('Different here', files.different),
    ...section('Missing here', files.missing),
    ...section('Here, and not there', files.extra),
    ...section('Not to be compared', files.unreadable),
    ...section('Secret-looking, not compared', files.secret),
    ...(from.missingContents > 0
      ? [`${plural(from.missingContents, 'content')} of files did not come along: they cannot be shown or restored.`]
      : []),
    'Nothing was changed in the workspace. Resume compares every file again, tells the agent what differs, and goes on.',
  ].join('\n\n');
}
