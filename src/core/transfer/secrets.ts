/**
 * Calls on secret-looking files travel without what they wrote or read (docs/words.md: their content is kept out of storage, and
 * so out of the file). Pure.
 */
import type { Path } from '../ports';
import type { RunState, Step } from '../run/state';
import { cancelPending, pendingDecisions, setDecision } from '../run/update';

/** In the place of what is not kept. */
export const NOT_KEPT = '<not kept: the file looks like it holds secrets>';

type Test = (path: Path) => boolean;
type Json = Record<string, unknown>;

/** Arguments that name a file, and those that hold text of one. */
const NAMES = ['path', 'from', 'to'];
const CONTENTS = ['content', 'old_text', 'new_text'];

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const namesSecret = (args: unknown, isSecret: Test): args is Json =>
  isJson(args) && NAMES.some((name) => typeof args[name] === 'string' && isSecret(args[name].replace(/^\.\//, '')));

/** The arguments of a call without text of a secret-looking file; others as they are. */
export function argsWithout(args: unknown, isSecret: Test): unknown {
  if (!namesSecret(args, isSecret)) return args;
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, CONTENTS.includes(key) ? NOT_KEPT : value]),
  );
}

/** The same for arguments as they came from the model. */
export function argsTextWithout(text: string, isSecret: Test): string {
  try {
    const args: unknown = JSON.parse(text);
    return namesSecret(args, isSecret) ? JSON.stringify(argsWithout(args, isSecret)) : text;
  } catch {
    return text;
  }
}

const isCallOnSecret = (step: Step, isSecret: Test): boolean =>
  namesSecret(step.args, isSecret) || step.changes.some(({ path }) => isSecret(path));

export const callsOnSecrets = (s: RunState, isSecret: Test): ReadonlySet<string> =>
  new Set(s.steps.filter((step) => isCallOnSecret(step, isSecret)).map(({ id }) => id));

/** A call that is still to come cannot be made elsewhere without what it was to write: it is cancelled, and the model asked again. */
export function withoutSecretCalls(
  state: RunState,
  { isSecret, keys }: { isSecret: Test; keys: readonly string[] },
  at: number,
): RunState {
  const s: RunState = { ...state };
  const holdsKey = (args: unknown): boolean => keys.some((key) => JSON.stringify(args)?.includes(key));
  const open = s.steps.filter(
    ({ outcome, args }) =>
      outcome === 'notStarted' &&
      (holdsKey(args) || (namesSecret(args, isSecret) && CONTENTS.some((name) => Object.hasOwn(args, name)))),
  );
  if (s.status !== 'aborted')
    cancelPending(s, open, 'notKept', 'text that looks secret does not travel with a run.', at);
  for (const decision of pendingDecisions(s))
    if (open.some(({ id }) => id === decision.stepId)) setDecision(s, decision.id, { state: 'withdrawn' });
  return s;
}
