/** Reconcile: re-reads the world the run knows, unsaved text and the repository included, and says what changed. */
import pMap from 'p-map';
import { FileError, StorageError } from '../errors';
import { gitLines, gitNews, hasMoved } from '../git';
import type { Hash, Path, Ports } from '../ports';
import { ownedNow } from '../tools/ownership';
import { isSecret } from '../tools/policy';
import { mergeElsewhere } from '../run/elsewhere';
import { END_COMMAND, UNDER_FROZEN } from '../run/frozenQuestion';
import { pendingSteps } from '../run/update';
import type { CommandWatch } from './commandWatch';
import type { DecisionRequest, FileRecord, RunState } from '../run/state';
import { BLOB_LIMIT, look, type Look } from '../world';
import { applyEdit } from './edit';
import { likeness } from './diff';
import { goneFolders } from './goneFolders';
import { named } from './names';
import { settleUnsaved, unsavedQuestion } from './unsaved';
import { fileVerdict, reportText, verdictOf } from './verdict';
import type { FileVerdict, Report, Verdict } from './report';
import { decode, type TextView } from './text';

/** How many files of the workspace are looked at for the new name of one that is gone. */
const RENAME_WALK = 20_000;
const RENAME_READS = 400;
/** Files that are looked at side by side: the disk answers several at once, and not all of them are held in memory. */
const SIDE_BY_SIDE = 8;

export interface Observation {
  report: Report;
  asks: DecisionRequest[];
  keptUnsaved: Path[];
  git: RunState['git'];
}

async function viewOf(ports: Ports, hash: Hash | null, now: Look): Promise<TextView | undefined> {
  if (hash === null) return undefined;
  if (hash === now.hash) return now.view;
  const bytes = await ports.store.blobs.get(hash);
  return bytes && decode(bytes, now.view?.encoding);
}

/** What is reported now is what the next report starts from: kept, so that it can show the difference. */
async function keepFor(ports: Ports, { path, bytes }: Look): Promise<void> {
  if (!bytes || bytes.length > BLOB_LIMIT || isSecret(path, ports.settings)) return;
  try {
    await ports.store.blobs.put(bytes);
  } catch (error) {
    throw new StorageError(error instanceof Error ? error.message : String(error));
  }
}

/** Files that appeared and hold at least half of what a vanished one held. */
async function findRenames(
  ports: Ports,
  state: RunState,
  gone: readonly { record: FileRecord; now: Look }[],
  signal: AbortSignal,
): Promise<Map<Path, Look>> {
  const renamed = new Map<Path, Look>();
  const lost = gone.filter(({ record, now }) => now.type === 'missing' && record.known !== null);
  if (lost.length === 0) return renamed;
  const known = new Set(state.files.filter((f) => f.known !== null).map((f) => f.path));
  const walk = { from: '', honourIgnore: true, maxEntries: RENAME_WALK, signal };
  // Where the workspace cannot be walked, what is gone counts as deleted.
  const { entries } = await ports.files.walk(walk).catch((error: unknown) => {
    if (error instanceof FileError) return { entries: [] };
    throw error;
  });
  const strangers = entries.filter((e) => e.type === 'file' && !known.has(e.path));
  const taken = new Set<Path>();
  let reads = 0;
  for (const { record } of lost) {
    const before = await viewOf(ports, record.known, {
      path: record.path,
      type: 'missing',
      hash: null,
      size: 0,
      diskHash: null,
    });
    const candidates = strangers
      .filter((e) => e.size >= record.knownSize / 3 && e.size <= record.knownSize * 3 && !taken.has(e.path))
      // What was moved last is looked at first: time stamps order the search, content decides.
      .sort((a, b) => b.ctimeMs - a.ctimeMs);
    let best: { look: Look; share: number } | undefined;
    for (const entry of candidates) {
      if (reads >= RENAME_READS || best?.share === 1) break;
      reads += 1;
      signal.throwIfAborted();
      const now = await look(ports, entry.path);
      if (now.hash === null) continue;
      const share = now.hash === record.known ? 1 : before && now.view ? likeness(before.text, now.view.text) : 0;
      if (share >= 0.5 && share > (best?.share ?? 0)) best = { look: now, share };
    }
    if (best) {
      taken.add(best.look.path);
      renamed.set(record.path, best.look);
    }
  }
  return renamed;
}

/** Pending calls that what the human did has made needless or impossible. */
function planHints(
  state: RunState,
  files: ReadonlyMap<Path, { now: Look; verdict: FileVerdict }>,
  bases: ReadonlyMap<Path, string>,
): string[] {
  const hints: string[] = [];
  for (const step of pendingSteps(state)) {
    const args = step.args as
      { path?: string; old_text?: string; new_text?: string; all?: boolean; content?: string } | undefined;
    const found = args?.path === undefined ? undefined : files.get(args.path);
    if (!found || !args) continue;
    if (found.now.type !== 'file') hints.push(`"${step.title}" is no longer possible as planned.`);
    else if (
      step.tool === 'edit_file' &&
      typeof args.old_text === 'string' &&
      typeof args.new_text === 'string' &&
      found.now.view
    ) {
      const edit = applyEdit(
        found.now.view.text,
        bases.get(args.path ?? ''),
        args.old_text,
        args.new_text,
        args.all ?? false,
      );
      if (edit.kind === 'already') hints.push(`"${step.title}" looks already done.`);
      else if (edit.kind === 'noMatch') hints.push(`"${step.title}" does not fit the text that is there now.`);
    }
  }
  return hints;
}

/** What only the human can answer before anything goes on. Pure. */
function questions(
  state: RunState,
  report: Report,
  unsaved: readonly Path[],
  failed: readonly Path[],
  gone: readonly string[],
  ports: Ports,
): DecisionRequest[] {
  const asks: DecisionRequest[] = [];
  const open = ports.settings.unsavedOnResume() === 'ask' ? unsaved : unsaved.filter((path) => failed.includes(path));
  if (open.length > 0) asks.push(unsavedQuestion(open, failed));
  const { git } = report;
  const moved = git !== undefined && hasMoved(git);
  const other = (report.elsewhere?.changes ?? []).filter((one) => !one.background);
  const underFrozen = state.frozen !== null && (report.files.length > 0 || git !== undefined || other.length > 0);
  if (moved || underFrozen || gone.length > 0) {
    const subject = ports.hash(
      new TextEncoder().encode(
        JSON.stringify([
          git ?? null,
          underFrozen
            ? [...report.files.map((f) => [f.path, f.after.hash]), ...other.map((o) => [o.path, o.kind])]
            : [],
          ...(gone.length > 0 ? [gone] : []),
        ]),
      ),
    );
    if (state.resuming?.world !== subject) {
      const lost =
        gone.length === 1 ? `The workspace folder ${gone[0]} is` : `The workspace folders ${gone.join(', ')} are`;
      const what = `${gone.length > 0 ? `${lost} gone. ` : ''}${git ? `${gitLines(git).join('. ')}. ` : ''}`;
      asks.push({
        kind: 'worldChanged',
        title: underFrozen
          ? UNDER_FROZEN
          : gone.length > 0
            ? `${lost} gone`
            : 'The repository is not where the run left it',
        detail: `${what}${[...report.files.map((f) => `${named(f.path)}: ${f.verdict}`), ...other.slice(0, 20).map((o) => `${named(o.path)}: ${o.kind}`)].join(', ')}`,
        choices: [
          { id: 'continue', label: 'Continue' },
          ...(state.frozen === null ? [] : [END_COMMAND]),
          { id: 'stop', label: 'Stay Paused' },
        ],
        freeText: false,
        subject,
      });
    }
  }
  return asks;
}

/** In order; the first failure is everybody's. */
const sideBySide = <T, R>(items: readonly T[], signal: AbortSignal, work: (item: T) => Promise<R>): Promise<R[]> =>
  pMap(
    items,
    (item) => {
      signal.throwIfAborted();
      return work(item);
    },
    { concurrency: SIDE_BY_SIDE },
  );

interface Seen {
  record: FileRecord;
  now: Look;
  verdict: Verdict;
}

/** Files of the run that are not as it knows them. */
async function changedFiles(ports: Ports, state: RunState, signal: AbortSignal): Promise<Seen[]> {
  const seen = await sideBySide(state.files, signal, async (record) => {
    const now = await look(ports, record.path);
    const verdict = verdictOf(record, now);
    // What is as it was is not held.
    return verdict && { record, now, verdict };
  });
  return seen.filter((one) => one !== undefined);
}

/** A repository that cannot be read now is taken to stand where it stood. */
async function repository(ports: Ports, state: RunState, signal: AbortSignal): Promise<RunState['git']> {
  const paths = state.files.map((file) => file.path);
  return (await ports.git.state(signal, paths).catch(() => state.git ?? undefined)) ?? null;
}

interface Judged {
  path: Path;
  now: Look;
  verdict: FileVerdict;
  /** What the run knew, where that is text. */
  before?: string;
}

/** What became of one file, its present content kept; `renamed`: where it is now. */
async function judge(
  ports: Ports,
  state: RunState,
  { record, now, verdict: found }: Seen,
  renamed: Look | undefined,
): Promise<Judged> {
  const before = await viewOf(ports, record.known, now);
  const present = renamed ?? now;
  await keepFor(ports, present);
  const quiet = isSecret(record.path, ports.settings) || (record.noBlob === true && !before);
  const verdict = fileVerdict(
    record,
    now,
    renamed ? 'humanRenamed' : found,
    { before, after: present.view },
    { quiet, ...(renamed ? { newPath: renamed.path, newLook: renamed } : {}) },
  );
  const owned = await ownedNow({ ports, state }, present, record);
  if (owned) verdict.owned = owned;
  return { path: record.path, now, verdict, ...(before ? { before: before.text } : {}) };
}

export async function observe(
  ports: Ports,
  state: RunState,
  watch: CommandWatch,
  signal: AbortSignal,
): Promise<Observation> {
  const { kept, failed } = await settleUnsaved(ports, state, signal);
  const [others, seen, git] = await Promise.all([
    watch.others(state, signal),
    changedFiles(ports, state, signal),
    repository(ports, state, signal),
  ]);
  // Done by the command that is frozen now: told with its result.
  const changed = seen.filter(({ now }) => !others.mine(now.stat?.ctimeMs));
  const renames = await findRenames(ports, state, changed, signal);
  const judged = await sideBySide(changed, signal, (one) => judge(ports, state, one, renames.get(one.record.path)));
  const files = judged.map(({ verdict }) => verdict);
  const details = new Map(judged.map(({ path, now, verdict }) => [path, { now, verdict }]));
  const bases = new Map(judged.flatMap(({ path, before }) => (before === undefined ? [] : [[path, before] as const])));
  const dirty: Path[] = [];
  for (const path of ports.buffers.dirty()) if ((await look(ports, path)).dirty) dirty.push(path);
  // Stopped before its first look was through, the run has nothing to compare with.
  const news = state.unprepared ? undefined : gitNews(state.git, git);
  const note = state.resuming?.note;
  const renamed = new Set(files.map((file) => file.newPath));
  const elsewhere = mergeElsewhere(state.elsewhere ?? [], others.changes).filter(({ path }) => !renamed.has(path));
  const { partial } = others;
  const bare: Omit<Report, 'text'> = {
    files,
    checked: state.files.length,
    ...(news ? { git: news } : {}),
    ...(elsewhere.length > 0 || partial !== undefined
      ? { elsewhere: { changes: elsewhere, ...(partial === undefined ? {} : { partial }) } }
      : {}),
    ...(note === undefined ? {} : { note }),
    plan: planHints(state, details, bases),
  };
  const report: Report = { ...bare, text: reportText(bare) };
  const unsaved = dirty.filter((path) => !kept.includes(path));
  return {
    report,
    asks: questions(state, report, unsaved, failed, await goneFolders(ports, state, report), ports),
    keptUnsaved: kept.filter((path) => dirty.includes(path)),
    git,
  };
}
