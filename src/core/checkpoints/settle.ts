/** After a crash in the middle of a restore: which files had their turn, read off the files themselves. */
import type { Ports } from '../ports';
import type { RunEvent } from '../run/events';
import type { RunState } from '../run/state';
import { look, type Look } from '../world';
import { sideOf, standing } from './linkPlan';
import { heldBy } from './links';
import type { RestoreFile } from './types';

async function settleLink(ports: Ports, file: RestoreFile, now: Look): Promise<RestoreFile> {
  const there = standing(now, (await heldBy(ports, now))?.hash);
  if (there === sideOf(file, 'after')) return { ...file, done: true };
  return { ...file, done: false, reason: there === sideOf(file, 'before') ? 'interrupted' : 'changed' };
}

async function settleFile(ports: Ports, file: RestoreFile): Promise<RestoreFile> {
  const now = await look(ports, file.path);
  if (file.link) return settleLink(ports, file, now);
  const hash = file.unsaved ? now.hash : now.diskHash;
  const readable = now.type === 'file' || now.type === 'missing';
  if (readable && hash === file.after) return { ...file, done: true };
  return { ...file, done: false, reason: readable && hash === file.before ? 'interrupted' : 'changed' };
}

/** Ends each restore that lost its process; nothing is written but scraps of ours swept away. */
export async function settleRestores(ports: Ports, state: RunState): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (const restore of state.restores ?? []) {
    if (restore.state !== 'requested') continue;
    const files: RestoreFile[] = [];
    for (const file of restore.files) files.push(await settleFile(ports, file));
    await ports.files.sweepScraps(files.map((file) => file.path));
    events.push({ type: 'restoreEnded', id: restore.id, files });
  }
  return events;
}
