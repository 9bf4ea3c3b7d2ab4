/** What a run remembers of the workspace, on disk: a shortcut that may be lost, never the truth. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Area, type Mark } from './area';

const VERSION = 1;

type Row = [below: string, size: number, ctimeMs: number, tag?: Mark['tag']];
type Stored = { version: number; areas: (Omit<Area, 'marks'> & { rows: Row[] })[] };

export async function loadMemory(dir: string): Promise<Area[] | undefined> {
  try {
    const stored = JSON.parse(await readFile(path.join(dir, 'memory.json'), 'utf8')) as Stored;
    if (stored.version !== VERSION) return undefined;
    return stored.areas.map(({ rows, ...area }) => ({
      ...area,
      marks: new Map(rows.map(([below, size, ctimeMs, tag]) => [below, { size, ctimeMs, ...(tag ? { tag } : {}) }])),
    })) as Area[];
  } catch {
    return undefined; // none yet, or damaged: the next look is a first one
  }
}

export async function saveMemory(dir: string, areas: readonly Area[]): Promise<void> {
  const stored = {
    version: VERSION,
    areas: areas.map(({ marks, ...area }) => ({
      ...area,
      rows: [...marks].map(([below, m]) => (m.tag ? [below, m.size, m.ctimeMs, m.tag] : [below, m.size, m.ctimeMs])),
    })),
  };
  await mkdir(dir, { recursive: true });
  const next = path.join(dir, 'memory.next.json');
  await writeFile(next, JSON.stringify(stored), { mode: 0o600 });
  await rename(next, path.join(dir, 'memory.json'));
}

/** Removes what an earlier memory used and this one does not. */
export async function dropOldIndexes(areas: readonly Area[], before: readonly Area[]): Promise<void> {
  const used = new Set(areas.flatMap((a) => (a.kind === 'git' ? [path.join(a.shadow, a.index)] : [])));
  for (const old of before) {
    if (old.kind !== 'git') continue;
    const file = path.join(old.shadow, old.index);
    if (!used.has(file)) await rm(file, { force: true });
  }
}
