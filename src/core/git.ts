/** What the core asks about repositories, and what it makes of two answers. Nothing of it runs or writes anything there. */
import type { Path } from './ports';

/** One repository, as its own files say. */
export interface Repository {
  /** null: the head is detached. */
  branch: string | null;
  /** null: no commit yet. */
  head: string | null;
  /** `merge`, `rebase`, `cherry-pick`, `revert`, `bisect` … in progress. */
  operation: string | null;
  /** How many entries are stashed away. */
  stashes?: number;
  /** How often its head has been moved, and by what the last times: `commit`, `checkout`, `pull`, `reset` … */
  moves?: number;
  recent?: string[];
}

/** Of the repository the first workspace folder stands in. */
export interface GitState extends Repository {
  /** It stands in none; there are others. */
  none?: true;
  /** Those of the other folders and the ones inside, by folder. */
  others?: Record<Path, Repository>;
}

export interface Git {
  /** undefined: no repository. `files`: the ones inside which these lie are looked at too. */
  state(signal: AbortSignal, files?: readonly Path[]): Promise<GitState | undefined>;
}

export interface RepositoryNews {
  from: string;
  to: string;
  operation: string | null;
  branchChanged: boolean;
  /** What moved its head, in order: `commit`, `pull` … */
  via?: string[];
  /** By how much the number of stashed entries has grown. */
  stashed?: number;
}

export interface GitNews extends RepositoryNews {
  others?: (RepositoryNews & { folder: Path })[];
}

const nameOf = (git: GitState | null | undefined): string =>
  git && !git.none ? `${git.branch ?? 'detached HEAD'}@${git.head?.slice(0, 10) ?? 'no commit'}` : 'no repository';

function newsOf(before: GitState | null | undefined, after: GitState | null | undefined): RepositoryNews | undefined {
  if (!before && !after) return undefined;
  const branchChanged = before?.branch !== after?.branch;
  const operation = after?.operation ?? null;
  const stashed = (after?.stashes ?? 0) - (before?.stashes ?? 0);
  if (!branchChanged && before?.head === after?.head && operation === (before?.operation ?? null) && stashed === 0)
    return undefined;
  const moved = before?.moves === undefined ? 0 : (after?.moves ?? 0) - before.moves;
  const via = moved > 0 ? (after?.recent ?? []).slice(-moved) : [];
  return {
    ...{ from: nameOf(before), to: nameOf(after), operation, branchChanged },
    ...(via.length > 0 ? { via } : {}),
    ...(stashed === 0 ? {} : { stashed }),
  };
}

/** What happened to the repositories between two looks; undefined: nothing. */
export function gitNews(before: GitState | null, after: GitState | null): GitNews | undefined {
  const main = newsOf(before, after);
  const others = Object.entries(after?.others ?? {}).flatMap(([folder, now]) => {
    // One that was not looked at before has no news: the run has only now come to know a file of it.
    const then = before?.others?.[folder];
    const news = then && newsOf(then, now);
    return news ? [{ folder, ...news }] : [];
  });
  if (!main && others.length === 0) return undefined;
  const still = { from: nameOf(after), to: nameOf(after), operation: null, branchChanged: false };
  return { ...(main ?? still), ...(others.length > 0 ? { others } : {}) };
}

const all = (git: GitNews): RepositoryNews[] => [git, ...(git.others ?? [])];

/** Asked about before anything runs: another branch, an operation in progress. */
export const hasMoved = (git: GitNews): boolean => all(git).some((one) => one.branchChanged || one.operation !== null);

function oneLine(news: RepositoryNews, where: string): string {
  const facts: string[] = [];
  if (news.branchChanged) facts.push('another branch');
  if (news.via) facts.push(`by ${news.via.slice(-6).join(', ')}`);
  if (news.stashed !== undefined && news.stashed > 0) facts.push('changes were stashed away');
  if (news.stashed !== undefined && news.stashed < 0) facts.push('a stash was taken back or dropped');
  const tail = news.operation === null ? '' : `; ${news.operation} in progress`;
  return `git${where}: ${news.from} → ${news.to}${facts.length > 0 ? ` (${facts.join('; ')})` : ''}${tail}`;
}

/** One line for each repository with news. */
export function gitLines(git: GitNews): string[] {
  const { others = [], ...main } = git;
  const quiet = main.from === main.to && !main.branchChanged && !main.operation && !main.via && !main.stashed;
  return [
    ...(quiet ? [] : [oneLine(main, '')]),
    ...others.map((one) => oneLine(one, ` in ${JSON.stringify(one.folder)}`)),
  ];
}
