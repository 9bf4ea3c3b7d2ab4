/**
 * Finding a workspace's storage again: VS Code gives a folder that was moved, renamed or saved as a `.code-workspace` a new
 * storage folder. Which folders a storage belongs to is noted in the extension's global storage; a folder is known again by
 * its identity in the file system, which a rename keeps.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

export interface Folder {
  /** Device, file number and birth: the same folder wherever it stands. */
  identity: string;
  path: string;
}

export interface Known {
  storage: string;
  folders: Folder[];
}

export interface Whereabouts {
  /** Folders of the workspace, in order. */
  dirs: readonly string[];
  /** What VS Code gives this workspace; need not exist. */
  given: string;
  /** Of the extension, for all workspaces. */
  global: string;
}

export const VERSION = 1;
export const listOf = (global: string): string => path.join(global, 'workspaces.json');

/** Where this workspace's runs are: where VS Code says, unless they were begun elsewhere and the folders are the same ones. */
export function findStorage({ dirs, given, global }: Whereabouts): string {
  if (existsSync(given)) return given;
  const here = foldersOf(dirs);
  const found =
    here && read(global).find((known) => known.storage !== given && isSame(known.folders, here) && hasRuns(known));
  return found?.storage ?? given;
}

export function foldersOf(dirs: readonly string[]): Folder[] | undefined {
  try {
    return dirs.map((dir) => {
      const { dev, ino, birthtimeNs } = statSync(dir, { bigint: true });
      return { identity: `${dev}/${ino}/${birthtimeNs}`, path: dir };
    });
  } catch {
    return undefined;
  }
}

const isSame = (known: readonly Folder[], here: readonly Folder[]): boolean =>
  known.length === here.length && here.every(({ identity }, n) => known[n]?.identity === identity);

const hasRuns = ({ storage }: Known): boolean => existsSync(path.join(storage, 'runs'));

function parsed(global: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(listOf(global), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export const versionOf = (global: string): number => Number(parsed(global)['schemaVersion'] ?? 0);

/** Newest first; what cannot be read is nothing. */
export function read(global: string): Known[] {
  const { schemaVersion, workspaces } = parsed(global);
  if (schemaVersion !== VERSION || !Array.isArray(workspaces)) return [];
  return workspaces.filter((one: Partial<Known> | null): one is Known => {
    if (typeof one?.storage !== 'string' || !Array.isArray(one.folders)) return false;
    return one.folders.every((folder: Partial<Folder> | null) => typeof folder?.identity === 'string');
  });
}
