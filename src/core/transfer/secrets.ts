/**
 * Calls on secret-looking files travel without what they wrote or read (docs/words.md: their content is kept out of storage, and
 * so out of the file). Pure.
 */
import type { Path } from '../ports';
import type { RunState, Step } from '../run/state';
import { argsWithout, CONTENTS, isJson, NAMES, namesSecret } from '../secretArgs';
import { cancelPending, pendingDecisions, setDecision } from '../run/update';

type Test = (path: Path) => boolean;

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

/** Ids of calls on secret-looking files, and of what was asked about such a file. */
export function callsOnSecrets(s: RunState, isSecret: Test): ReadonlySet<string> {
  const calls = new Set(s.steps.filter((step) => isCallOnSecret(step, isSecret)).map(({ id }) => id));
  const asked = s.decisions.filter(
    ({ path, stepId }) => (path !== undefined && isSecret(path)) || (stepId !== undefined && calls.has(stepId)),
  );
  return new Set([...calls, ...asked.map(({ id }) => id)]);
}

/** A step of a playbook that would write what does not travel: whoever has the file is asked to, in its place. */
function stepWithout(step: unknown, isSecret: Test): unknown {
  if (!isJson(step) || !namesSecret(step['with'], isSecret)) return step;
  const args = step['with'];
  if (!CONTENTS.some((name) => Object.hasOwn(args, name))) return step;
  const path = NAMES.map((name) => args[name]).find((one) => typeof one === 'string') ?? '';
  const question = `This step was to write ${path}, with text that does not travel with a run. Do it yourself if it is needed, then answer.`;
  const { undo: _undo, onConflict: _onConflict, ...rest } = step;
  return { ...rest, tool: 'ask_human', with: { question } };
}

/** What drives a run, without text of secret-looking files in steps to come. YAML travels as it stands. */
export function engineWithout(engine: RunState['engine'], isSecret: Test): RunState['engine'] {
  if (engine.kind !== 'playbook' || engine.format !== 'json') return engine;
  try {
    const playbook: unknown = JSON.parse(engine.source);
    if (!isJson(playbook) || !Array.isArray(playbook['steps'])) return engine;
    const steps = playbook['steps'] as unknown[];
    const carried = steps.map((step) => stepWithout(step, isSecret));
    if (carried.every((step, n) => step === steps[n])) return engine;
    return { ...engine, source: JSON.stringify({ ...playbook, steps: carried }, null, 2) };
  } catch {
    return engine;
  }
}

/** A call that is still to come cannot be made elsewhere without what it was to write: it is cancelled, and the model asked again. */
export function withoutSecretCalls(
  state: RunState,
  { isSecret, keys }: { isSecret: Test; keys: readonly string[] },
  at: number,
): RunState {
  const s: RunState = { ...state, engine: engineWithout(state.engine, isSecret) };
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
