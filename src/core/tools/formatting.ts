/**
 * What the editor's formatter makes of a file that was just written (`holdfast.formatOnWrite`). Its change is the agent's, under
 * the same rules: lines of the human stay as they are. Whatever keeps it from its work, the write stands.
 */
import type { Formatted } from '../formatter';
import { toLf } from '../reconcile/lines';
import { unified } from '../reconcile/diff';
import { display, encode } from '../reconcile/text';
import { inWords } from '../reconcile/owned';
import type { FileChange } from '../run/state';
import { look, type Look } from '../world';
import { filesPlan } from './filePlan';
import { lineWarning, written } from './ownership';
import { isSecret } from './policy';
import type { Plan, ToolContext } from './tool';
import { planWrite } from './write';

/** Longer than a formatter takes for a file that a human would wait for. */
export const FORMAT_MS = 5000;

/** The whole text is told up to so many characters; of a longer one what the formatter changed. */
const TOLD_CHARS = 20_000;
const TOLD_DIFF = 6000;

type FilesPlan = Extract<Plan, { kind: 'files' }>;

export interface FormatPlan {
  plan: FilesPlan;
  /** For the model. */
  told: string;
  /** The text is told as a whole: all of it is known. */
  whole: boolean;
}

/** The formatter is asked, and waited for neither for ever nor through a stop. */
async function ask(
  { ports, signal }: ToolContext,
  path: string,
  text: string,
): Promise<Formatted | { kind: 'slow' } | { kind: 'stopped' }> {
  const { formatter, clock } = ports;
  if (!formatter) return { kind: 'none' };
  const over = new AbortController();
  const cut = AbortSignal.any([signal, over.signal]);
  const waited = clock.sleep(FORMAT_MS, cut).then(
    () => ({ kind: 'slow' as const }),
    () => ({ kind: 'stopped' as const }),
  );
  try {
    return await Promise.race([waited, formatter.format(path, text, cut)]);
  } catch (error) {
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  } finally {
    over.abort();
  }
}

/** As it was written: nobody has changed it since. */
const isAs = (change: FileChange, now: Look): boolean =>
  now.hash === change.after && (now.dirty !== undefined) === (change.unsaved === true);

/**
 * What is to be done after the write `change`. undefined: nothing; a text: why the file stays as it was written, for the model.
 */
export async function planFormat(context: ToolContext, change: FileChange): Promise<FormatPlan | string | undefined> {
  const { ports, signal } = context;
  const { path } = change;
  if (!ports.formatter?.wanted(path) || signal.aborted || isSecret(path, ports.settings)) return undefined;
  const before = await look(ports, path);
  // Bytes that are no text are shown to a formatter as something else.
  if (!before.view || before.view.foreign || !isAs(change, before)) return undefined;
  const answer = await ask(context, path, before.view.text);
  switch (answer.kind) {
    case 'none':
    case 'stopped':
      return undefined;
    case 'slow':
      return `The editor's formatter did not answer within ${FORMAT_MS / 1000} s: ${path} is as it was written.`;
    case 'failed':
      return `The editor's formatter failed (${answer.why.slice(0, 200)}): ${path} is as it was written.`;
    case 'text':
      return planFormatted(context, change, answer.text);
  }
}

async function planFormatted(
  context: ToolContext,
  change: FileChange,
  content: string,
): Promise<FormatPlan | string | undefined> {
  const { ports } = context;
  const { path } = change;
  const now = await look(ports, path);
  if (!now.view || !isAs(change, now))
    return `${path} was changed while the editor's formatter was at work, so its work was left out. Read the file before you edit it again.`;
  const record = {
    path,
    base: now.hash,
    known: now.hash,
    knownSize: now.size,
    knownType: 'file',
    by: 'agent',
  } as const;
  const write = planWrite({ now, record, base: now.view.text, proposal: { tool: 'write_file', content } });
  if (write.kind === 'already') return undefined;
  if (write.kind !== 'write') return `The editor's formatter was not let change ${path}: ${write.note}`;
  const owned = change.owned ?? undefined;
  const made = await written(context, now, owned, write.text);
  const mine = made.lost.length > 0 || owned?.whole === true;
  if (mine && ports.settings.humanLines() === 'ask')
    return `The editor's formatter would have changed text that the human wrote (${inWords(made.lost)}): ${path} is as it was written.`;
  const plan = await filesPlan(context, {
    ...{ now, text: write.text, bytes: encode(write.text, write.encoding), note: '', owned, made },
  });
  if (plan.kind !== 'files') return undefined;
  const text = display(toLf(write.text));
  const whole = text.length <= TOLD_CHARS;
  const what = whole
    ? `${path} holds now:\n${text}`
    : `what it changed:\n${unified(path, now.view.text, write.text, TOLD_DIFF) ?? '(too much to be told: read the file)'}`;
  return { plan, whole, told: `The editor's formatter went over it; ${what}${lineWarning(context, path, made.lost)}` };
}
