/** The preview of a restore: every file the run wrote since the checkpoint, looked at as it is now. Reads only. */
import { FileError } from '../errors';
import type { Hash, Path, Ports } from '../ports';
import { decode, encode, isBinaryName, type Encoding } from '../reconcile/text';
import type { RunState } from '../run/state';
import { isProtected, isSecret, isSensitive } from '../tools/policy';
import { look, type Look } from '../world';
import { historyOf, touchesSince, type Touch } from './history';
import { applyHunks, changesTo, undoHunks } from './hunks';
import { hasLink, judgeLink } from './linkPlan';
import { atLink, heldBy, missingFolders } from './links';
import { judge, pairMoves, settled, skip, type Rules } from './plan';
import type { FilePlan, RestoreRequest } from './types';

/** A plan with the bytes it was made of and those it would write. */
export interface Surveyed {
  plan: FilePlan;
  now: Look;
  /** Absent for removals and moves. */
  bytes?: Uint8Array;
}

/** Paths that cannot be meant by any file of ours, whatever a stored state says; the run names files as they are spelled. */
async function isOutside(ports: Ports, path: Path): Promise<boolean> {
  try {
    return (await ports.files.resolve(path)) !== path;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return ['outside', 'reserved', 'badName', 'ambiguous'].includes(error.code);
  }
}

const NOWHERE = (path: Path): Look => ({ path, type: 'link', hash: null, size: 0, diskHash: null });

async function textsOf(
  ports: Ports,
  touches: readonly Touch[],
  as: Encoding,
): Promise<{ before: string; after: string }[] | undefined> {
  const text = async (hash: Hash | null): Promise<string | undefined> => {
    const bytes = hash === null ? undefined : await ports.store.blobs.get(hash);
    return bytes && decode(bytes, as)?.text;
  };
  const texts: { before: string; after: string }[] = [];
  for (const touch of touches) {
    const before = await text(touch.before);
    const after = await text(touch.after);
    if (before === undefined || after === undefined) return undefined;
    texts.push({ before, after });
  }
  return texts;
}

/** Fills a merge with its hunks; one without any cannot be offered. */
async function mergeOf(ports: Ports, plan: FilePlan, touches: readonly Touch[], now: Look): Promise<Surveyed> {
  const texts = now.view && !isBinaryName(plan.path) ? await textsOf(ports, touches, now.view.encoding) : undefined;
  const undo = texts && now.view && undoHunks(now.view.text, texts);
  if (!undo || !now.view || undo.hunks.length === 0) {
    const left = skip(plan.path, now, 'changed');
    return { now, plan: undo?.conflicts ? { ...left, conflicts: undo.conflicts } : left };
  }
  const bytes = encode(undo.text, now.view.encoding);
  const { hunks, conflicts } = undo;
  return { now, bytes, plan: { ...plan, after: ports.hash(bytes), hunks, ...(conflicts > 0 ? { conflicts } : {}) } };
}

/** A link on one side: no text is compared, and nothing is followed. */
async function surveyLink(
  ports: Ports,
  touches: readonly Touch[],
  seen: Look,
  rules: Rules,
): Promise<Surveyed | undefined> {
  const held = rules.outside ? undefined : await heldBy(ports, seen);
  const now = atLink(seen, held);
  const plan = judgeLink(now.path, touches, seen, held?.hash, rules);
  if (!plan) return undefined;
  const bytes = plan.action === 'restore' && plan.after !== null ? await ports.store.blobs.get(plan.after) : undefined;
  return { plan, now, ...(bytes ? { bytes } : {}) };
}

/** Folders the run made since then; of another machine's nobody here knows. */
const madeBy = (since: ReadonlyMap<Path, readonly Touch[]>): ReadonlySet<Path> =>
  new Set([...since.values()].flat().flatMap((touch) => (touch.elsewhere ? [] : (touch.folders ?? []))));

/** Which folders are made for it, or go with it where nothing is in them any more. */
async function withFolders(ports: Ports, one: Surveyed, made: ReadonlySet<Path>): Promise<Surveyed> {
  const { plan } = one;
  if (plan.action !== 'restore' && plan.action !== 'remove') return one;
  const folders =
    plan.before === null
      ? await missingFolders(ports, plan.path)
      : plan.after === null
        ? [...made].filter((folder) => plan.path.startsWith(`${folder}/`))
        : [];
  return folders.length > 0 ? { ...one, plan: { ...plan, folders } } : one;
}

async function survey(
  ports: Ports,
  path: Path,
  touches: readonly Touch[],
  renamedTo?: Path,
): Promise<Surveyed | undefined> {
  const { settings } = ports;
  const outside = await isOutside(ports, path);
  const now = outside ? NOWHERE(path) : await look(ports, path);
  const fitting = settled(touches, now);
  const links = hasLink(fitting);
  // By whatever name: no rule of a file is gone round by a link.
  const names = outside ? [path] : [path, await ports.files.leadsTo(path, { itself: links })];
  const rules: Rules = {
    outside,
    secret: names.some((name) => isSecret(name, settings)),
    protected: names.some((name) => isProtected(name, settings)),
    sensitive: names.some((name) => isSensitive(name, settings)),
    ...(renamedTo === undefined ? {} : { renamedTo }),
  };
  if (links) return surveyLink(ports, fitting, now, rules);
  const plan = judge(path, fitting, now, rules);
  if (!plan) return undefined;
  if (plan.action === 'merge') return mergeOf(ports, plan, fitting, now);
  if (plan.action === 'skip' || plan.after === null) return { plan, now };
  const bytes = await ports.store.blobs.get(plan.after);
  // Moved back it needs no stored content; whether it can be is seen when all files are known.
  if (!bytes) return { plan, now };
  const to = now.view && !isBinaryName(path) ? decode(bytes, now.view.encoding) : undefined;
  if (plan.unsaved && (!to || !now.view || now.view.foreign)) return { plan: skip(path, now, 'unsaved'), now };
  const hunks = to && to.encoding === now.view?.encoding ? changesTo(now.view.text, to.text) : undefined;
  return { now, bytes, plan: { ...plan, ...(hunks ? { hunks } : {}) } };
}

/** Only the picked hunks; a pick made on another text than the present one does not count. */
function picked(ports: Ports, one: Surveyed, picks: NonNullable<RestoreRequest['picks']>): Surveyed {
  const { plan, now } = one;
  const pick = picks.find((p) => p.path === plan.path);
  if (plan.action === 'skip') return one;
  if (!pick) return plan.action === 'merge' ? { plan: { ...plan, ...skip(plan.path, now, 'changed') }, now } : one;
  if (pick.before !== plan.before) return { plan: skip(plan.path, now, 'changed'), now };
  if (!plan.hunks || !now.view) return one;
  if (pick.hunks.length === 0) return { plan: skip(plan.path, now, 'notPicked'), now };
  // All of a file that is the run's own goes back whole, byte for byte.
  if (plan.action === 'restore' && plan.hunks.every((_, i) => pick.hunks.includes(i))) return one;
  const bytes = encode(applyHunks(now.view.text, plan.hunks, pick.hunks), now.view.encoding);
  return { now, bytes, plan: { ...plan, action: 'restore', after: ports.hash(bytes) } };
}

/** What a restore to boundary `n` would do, in the order of the paths; files that are as they were are left out. */
export async function surveyRestore(
  ports: Ports,
  state: RunState,
  n: number,
  request: Pick<RestoreRequest, 'paths' | 'picks' | 'dryRun'>,
): Promise<Surveyed[]> {
  const wanted = request.paths && new Set(request.paths);
  const since = new Map(
    [...historyOf(state)]
      .map(([path, all]) => [path, touchesSince(state, all, n)] as const)
      .filter(([path, touches]) => touches.length > 0 && (!wanted || wanted.has(path))),
  );
  const made = madeBy(since);
  const found: Surveyed[] = [];
  for (const [path, touches] of [...since].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const renamedTo = state.files.find((file) => file.path === path)?.renamedTo;
    const one = await survey(ports, path, touches, renamedTo);
    if (one) found.push(await withFolders(ports, one, made));
  }
  const paired = pairMoves(
    found.map((one) => one.plan),
    since,
  );
  const all = found.map((one, i): Surveyed => {
    const plan = paired[i] ?? one.plan;
    const moved = plan.movedFrom !== undefined || plan.movedTo !== undefined;
    if (moved || plan.action === 'skip' || plan.action === 'merge') return { ...one, plan };
    const lost = plan.action === 'restore' && !one.bytes;
    const large = plan.action === 'remove' && !one.now.bytes;
    const noBlob = since.get(plan.path)?.some((touch) => touch.noBlob);
    if (lost || large)
      return { now: one.now, plan: skip(plan.path, one.now, large || noBlob ? 'tooLarge' : 'blobMissing') };
    return { ...one, plan };
  });
  return request.dryRun && !request.picks ? all : all.map((one) => picked(ports, one, request.picks ?? []));
}
