/** The effect of the editor's formatter after a write: an intent and an effect of the same step. */
import { FileError, StorageError } from '../errors';
import { planFormat } from '../tools/formatting';
import type { Result, Tool, ToolContext } from '../tools/tool';
import type { Flight } from './controller';
import type { StepHost } from './execute';
import type { FileChange } from './state';
import { stepOf } from './update';

const WRITERS: ReadonlySet<string> = new Set(['write_file', 'edit_file']);

/** Both writes as one: from what was there before the first to what is there after the second. */
function asOne(first: FileChange, second: FileChange, whole: boolean): FileChange {
  const { touchedMs: _, lost: __, ...rest } = second;
  return {
    ...rest,
    before: first.before,
    ...(first.touchedMs === undefined ? {} : { touchedMs: first.touchedMs }),
    ...(first.folders ? { folders: first.folders } : {}),
    ...(first.lost ? { lost: first.lost } : {}),
    ...(first.noBlob ? { noBlob: true } : {}),
    // Lines have moved: of a file read in part, nothing is known but what is told.
    ...(first.seen && !whole ? { seen: [] } : {}),
  };
}

/** The write that had this result, with what the formatter made of it; the write stands whatever becomes of that. */
export async function formatted(
  host: StepHost,
  tool: Tool,
  context: ToolContext,
  result: Result,
  flight: Flight,
): Promise<Result> {
  const [first, ...others] = result.changes ?? [];
  if (!first || others.length > 0 || !WRITERS.has(tool.name) || result.effect !== 'committed') return result;
  const stepId = context.step.id;
  const told = (words: string): Result => ({ ...result, text: `${result.text}\n${words}` });
  try {
    const planned = await planFormat(context, first);
    if (planned === undefined) return result;
    if (typeof planned === 'string') return told(planned);
    const { plan, whole } = planned;
    const [second] = plan.changes;
    if (!second) return result;
    const { after, size, owned } = first;
    const unformatted = { after, size, ...(owned === undefined ? {} : { owned }) };
    await host.dispatch({
      type: 'effectRequested',
      stepId,
      changes: [{ ...asOne(first, second, whole), unformatted }],
    });
    const mayGoOn = !flight.givenUp && stepOf(host.state, stepId)?.effect === 'requested' && !context.signal.aborted;
    if (!mayGoOn) return result;
    const done = await plan.perform();
    const made = done.changes?.[0] ?? second;
    return { ...told(`${planned.told}${done.text}`), changes: [asOne(first, made, whole)] };
  } catch (error) {
    if (error instanceof FileError)
      return told(`The work of the editor's formatter could not be written (${error.code}): it was left out.`);
    // Without room for its intent it is left out; the result is told by the one who knows what to do then.
    if (!(error instanceof StorageError)) host.ports.log.error('a write could not be formatted', error);
    return result;
  }
}
