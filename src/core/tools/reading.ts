/** Tools without effects: read, list, search, problems. */
import picomatch from 'picomatch';
import { FileError, StorageError } from '../errors';
import { splitLines } from '../reconcile/lines';
import { named } from '../reconcile/names';
import { charsetAt } from '../reconcile/charset';
import { decode, display } from '../reconcile/text';
import type { FileSeen } from '../run/state';
import { BLOB_LIMIT, look, whyNot, type Look } from '../world';
import { ARGS } from './args';
import { approve } from './approval';
import { ownedNow } from './ownership';
import { isSecret, reasonsToAsk, secretTest } from './policy';
import { reached } from './reached';
import { done, refused, type Tool, type ToolContext } from './tool';

/** What a read gives at most, in lines and characters; the rest is read with from_line. */
const MAX_LINES = 2000;
const MAX_CHARS = 100_000;
const MAX_ENTRIES = 1000;
const MAX_HITS = 200;
/** What all the trying of one pattern may take. */
const MAX_PATTERN_MS = 20_000;

/** A path that cannot be used becomes a result for the model, not a failure of the run. */
export async function resolved(
  { ports, state }: ToolContext,
  given: string,
  itself = false,
): Promise<{ path: string } | { error: FileError }> {
  try {
    return { path: await reached(ports, state, given, itself) };
  } catch (error) {
    if (error instanceof FileError) return { error };
    throw error;
  }
}

const withGlob = (glob: string | undefined): ((path: string) => boolean) => {
  if (glob === undefined) return () => true;
  // A glob without a slash means the name, wherever it is; the field's custom (gitignore).
  return picomatch(glob.includes('/') ? glob : `**/${glob}`, { dot: true });
};

function why(now: Look): string {
  if (now.error) return whyNot(now.error);
  if (now.type === 'missing') return `${now.path} does not exist.`;
  if (now.type === 'directory') return `${now.path} is a folder; use list_files.`;
  if (now.type === 'link') return `${now.path} is a link that leads outside the workspace.`;
  return `${now.path} is no regular file.`;
}

/** Content that cannot be kept stops the run as an unwritable journal does. */
export async function putBlob(context: Pick<ToolContext, 'ports'>, bytes: Uint8Array): Promise<void> {
  try {
    await context.ports.store.blobs.put(bytes);
  } catch (error) {
    throw new StorageError(error instanceof Error ? error.message : String(error));
  }
}

/** Remembers the content that was shown: blob first, then the state may name it. */
export async function remember(
  context: Pick<ToolContext, 'ports' | 'state'>,
  now: Look,
  lines?: FileSeen['lines'],
): Promise<FileSeen> {
  const noBlob = now.bytes === undefined || now.size > BLOB_LIMIT || isSecret(now.path, context.ports.settings);
  if (now.bytes && !noBlob) await putBlob(context, now.bytes);
  const ignored = now.type === 'file' && (await context.ports.files.isIgnored(now.path));
  const owned = ignored ? undefined : await ownedNow(context, now);
  return {
    ...{ path: now.path, hash: now.hash, size: now.size },
    ...(lines ? { lines } : {}),
    ...(noBlob ? { noBlob } : {}),
    ...(owned ? { owned } : {}),
    ...(ignored ? { ignored } : {}),
  };
}

/** A letter of two units that the cut went through is left out. */
const wholeLetters = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text);

export const readFile: Tool = {
  name: 'read_file',
  description:
    'Reads a text file as it is now (unsaved text of an open editor included). Lines are returned without numbers.',
  args: ARGS.read_file,
  async plan(context, raw) {
    const args = raw as { path: string; from_line?: number; to_line?: number };
    const where = await resolved(context, args.path);
    if ('error' in where) return refused(where.error.code, whyNot(where.error));
    const { path } = where;
    const asked = approve(context, reasonsToAsk('read', [path], context.ports.settings), {
      title: `Read ${path}?`,
      subject: `read:${path}`,
      path,
    });
    if (!asked.granted) return asked.plan;
    const now = await look(context.ports, path);
    if (now.type !== 'file') return refused(now.type === 'missing' ? 'notFound' : now.type, why(now));
    if (!now.view) {
      const seen = await remember(context, now);
      const words = now.bytes ? `is binary` : `is too large to be read whole`;
      return done(`${path} ${words}: ${now.size} bytes, sha256 ${now.hash?.slice(0, 12)}…`, { seen: [seen] });
    }
    const { lines, eols } = splitLines(now.view.text);
    const from = args.from_line ?? 1;
    if (lines.length > 0 && from > lines.length)
      return refused('badArguments', `${path} has only ${lines.length} lines.`);
    const last = Math.min(args.to_line ?? lines.length, lines.length, from + MAX_LINES - 1);
    let shown = '';
    let to = from - 1;
    for (let i = from - 1; i < last; i += 1) {
      const line = `${lines[i] ?? ''}${eols[i] === '' ? '' : '\n'}`;
      if (shown.length + line.length > MAX_CHARS) break;
      shown += line;
      to = i + 1;
    }
    const whole = from === 1 && to === lines.length;
    // Not one line fits: its beginning is shown. It may be edited, as what matches must be there; the file is not seen whole.
    const long = to < from && lines.length > 0 ? (lines[from - 1] ?? '') : undefined;
    if (long !== undefined) shown = wholeLetters(long.slice(0, MAX_CHARS));
    const seen = await remember(
      context,
      now,
      whole
        ? undefined
        : long === undefined
          ? { from, to, of: lines.length }
          : { from, to: from, of: lines.length + 1 },
    );
    const cut = `\n[line ${from} of ${lines.length} is ${long?.length} characters long: only its first ${shown.length} are shown]`;
    const rest = whole
      ? ''
      : long !== undefined
        ? cut
        : `\n[lines ${from}-${to} of ${lines.length}; read on with from_line]`;
    const unsaved = now.dirty ? '\n[this is the unsaved text of the open editor; commands see the older file]' : '';
    const foreign = now.view.foreign
      ? '\n[some bytes are not UTF-8; they are shown as \uFFFD and stay as they are]'
      : '';
    const empty = lines.length === 0 ? '[empty file]' : '';
    return done(display(shown) + empty + rest + unsaved + foreign, { seen: [seen] });
  },
};

export const listFiles: Tool = {
  name: 'list_files',
  description: 'Lists files and folders, without what .gitignore excludes. Links are shown, not followed.',
  args: ARGS.list_files,
  async plan(context, raw) {
    const args = raw as { path: string; glob?: string; depth?: number };
    let from = '';
    if (args.path !== '.' && args.path !== '' && args.path !== './') {
      const where = await resolved(context, args.path);
      if ('error' in where) return refused(where.error.code, whyNot(where.error));
      from = where.path;
    }
    const fits = withGlob(args.glob);
    const { entries, complete } = await context.ports.files.walk({
      from,
      honourIgnore: true,
      maxEntries: 20_000,
      signal: context.signal,
      ...(args.depth === undefined ? {} : { depth: args.depth }),
    });
    const found = entries.filter((e) => e.type !== 'other' && fits(e.path));
    const shown = found
      .slice(0, MAX_ENTRIES)
      .map((e) => named(e.path) + (e.type === 'directory' ? '/' : e.type === 'link' ? ' -> (link)' : ''));
    const more =
      found.length > shown.length
        ? `\n… and ${found.length - shown.length} more; narrow it with path, glob or depth.`
        : '';
    const partly = complete ? '' : '\n[not everything was looked at: too many files]';
    return done(shown.length ? shown.sort().join('\n') + more + partly : `Nothing found.${partly}`);
  },
};

export const searchText: Tool = {
  name: 'search_text',
  description: 'Finds text in files, without what .gitignore excludes. Results are path:line: text.',
  args: ARGS.search_text,
  async plan(context, raw) {
    const args = raw as { query: string; glob?: string; regex?: boolean };
    let pattern: RegExp;
    try {
      pattern = new RegExp(args.regex ? args.query : args.query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'u');
    } catch (error) {
      return refused(
        'badArguments',
        `The regular expression cannot be used: ${error instanceof Error ? error.message : 'bad pattern'}`,
      );
    }
    const { files, settings } = context.ports;
    const fits = withGlob(args.glob);
    const secret = secretTest(settings);
    const { entries, complete } = await files.walk({
      from: '',
      honourIgnore: true,
      maxEntries: 50_000,
      signal: context.signal,
    });
    const hits: string[] = [];
    let more = 0;
    const search = args.regex === true ? context.ports.patterns?.open(pattern.source) : undefined;
    const until = context.ports.clock.now() + MAX_PATTERN_MS;
    const found = (lines: readonly string[]): Promise<number[] | undefined> =>
      search
        ? search.matching(lines, Math.max(1, until - context.ports.clock.now()), context.signal)
        : Promise.resolve(lines.flatMap((line, i) => (pattern.test(line) ? [i] : [])));
    try {
      for (const entry of entries) {
        if (entry.type !== 'file' || entry.size > 2_000_000 || !fits(entry.path) || secret(entry.path)) continue;
        context.signal.throwIfAborted();
        const buffer = context.ports.buffers.get(entry.path);
        const text = buffer?.dirty ? buffer.text : await textOf(context, entry.path);
        if (text === undefined) continue;
        const { lines } = splitLines(text);
        const matching = await found(lines.map((line) => (line.length > 2000 ? line.slice(0, 2000) : line)));
        if (!matching)
          return refused(
            'tooSlow',
            `The regular expression takes too long (in ${named(entry.path)}); use a simpler one, or a glob.`,
          );
        for (const i of matching) {
          const line = lines[i] ?? '';
          if (hits.length < MAX_HITS) hits.push(`${named(entry.path)}:${i + 1}: ${display(line).slice(0, 300)}`);
          else more += 1;
        }
      }
    } finally {
      search?.close();
    }
    const rest = more > 0 ? `\n… and ${more} more; narrow it with glob.` : '';
    const partly = complete ? '' : '\n[not everything was searched: too many files]';
    return done(hits.length ? hits.join('\n') + rest + partly : `Nothing found.${partly}`);
  },
};

async function textOf(context: ToolContext, path: string): Promise<string | undefined> {
  try {
    const { files, buffers } = context.ports;
    return decode(await files.read(path), await charsetAt(buffers, path))?.text;
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

export const getDiagnostics: Tool = {
  name: 'get_diagnostics',
  description: 'The problems (errors, warnings) that the editor shows, for one file or all.',
  args: ARGS.get_diagnostics,
  async plan(context, raw) {
    const args = raw as { path?: string };
    let path: string | undefined;
    if (args.path !== undefined) {
      const where = await resolved(context, args.path);
      if ('error' in where) return refused(where.error.code, whyNot(where.error));
      path = where.path;
    }
    const found = await context.ports.diagnostics.get(path);
    if (!found) return done('This host has no diagnostics.');
    const lines = found
      .slice(0, 200)
      .map(
        (d) => `${named(d.path)}:${d.line}:${d.column} ${d.severity}: ${d.message}${d.source ? ` (${d.source})` : ''}`,
      );
    return done(lines.length ? lines.join('\n') : 'No problems.');
  },
};
