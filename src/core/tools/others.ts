/** Commands, the plan, questions, the end. */
import type { DecisionRequest, Step } from '../run/state';
import { guardOfCommand, guardWords } from '../run/guards';
import { whyNot } from '../world';
import { approve, COMMAND_CHOICES } from './approval';
import { ARGS } from './args';
import { isListed } from './commandLine';
import { reasonsToAsk } from './policy';
import { resolved } from './reading';
import { decisionOf, done, refused, type Tool } from './tool';

export const DEFAULT_TIMEOUT_S = 600;

export const runCommand: Tool = {
  name: 'run_command',
  description:
    'Runs a command line in a shell, without a terminal and without input, and returns its output (head and tail) and exit code. Cancel: it can be stopped in the middle, then what it did must be checked. Set background for servers and watchers.',
  args: ARGS.run_command,
  async plan(context, raw) {
    const args = raw as { command: string; cwd?: string; background?: boolean; timeout_s?: number };
    if (args.command.includes('\0')) return refused('badArguments', 'The command holds a NUL; nothing was run.');
    let cwd = '';
    if (args.cwd !== undefined && args.cwd !== '' && args.cwd !== '.') {
      const where = await resolved(context, args.cwd);
      if ('error' in where) return refused(where.error.code, `${whyNot(where.error)} Nothing was run.`);
      const stat = await context.ports.files.stat(where.path);
      if (stat.type !== 'directory') return refused('notDirectory', `${where.path} is no folder; nothing was run.`);
      cwd = where.path;
    }
    const { settings } = context.ports;
    const guard = guardOfCommand(context.state, args.command);
    if (guard)
      return refused('guard', `A guard of the human forbids this command ("${guardWords(guard)}"); nothing was run.`);
    if (isListed(args.command, settings.commandsDeny())) {
      return refused('denied', 'This command is refused by the setting holdfast.commands.deny; nothing was run.');
    }
    const unasked = context.step.repeatOf !== undefined || isListed(args.command, settings.commandsAllow());
    const reasons = unasked ? [] : reasonsToAsk('command', [], settings);
    const asked = approve(context, reasons, {
      title: 'Run this command?',
      detail: `${args.command}\nin ${cwd || homeOf(context.ports.files.roots())}`,
      choices: COMMAND_CHOICES,
      subject: `command:${cwd}:${args.command}`,
    });
    if (!asked.granted) return asked.plan;
    return {
      kind: 'command',
      command: args.command,
      cwd,
      background: args.background ?? false,
      timeoutMs: (args.timeout_s ?? DEFAULT_TIMEOUT_S) * 1000,
    };
  },
};

/** The folder a command runs in where it names none. */
const homeOf = (roots: readonly { name: string }[]): string =>
  roots.length > 1 ? (roots[0]?.name ?? '') : 'the workspace folder';

export const updatePlan: Tool = {
  name: 'update_plan',
  description: 'Replaces the plan the human sees. Keep it short and current.',
  args: ARGS.update_plan,
  plan: (_context, raw) => {
    const { items } = raw as { items: { title: string; status: 'pending' | 'running' | 'done' }[] };
    return Promise.resolve(done(`The plan has ${items.length} items now.`, { plan: items }));
  },
};

/** A question of the agent, as the human sees it. */
export const questionOf = (
  { id }: Pick<Step, 'id'>,
  { question, choices = [] }: { question: string; choices?: readonly string[] | undefined },
): DecisionRequest => ({
  kind: 'question',
  stepId: id,
  title: question,
  detail: '',
  choices: choices.map((label) => ({ id: label, label })),
  freeText: true,
  subject: id,
});

export const askHuman: Tool = {
  name: 'ask_human',
  description: 'Asks the human and waits for the answer. Only for what you cannot find out yourself.',
  args: ARGS.ask_human,
  plan: (context, raw) => {
    const { question, choices = [] } = raw as { question: string; choices?: string[] };
    const last = decisionOf(context, 'question');
    if (last?.state === 'answered') {
      const { choice = '', text } = last.answer ?? {};
      return Promise.resolve(done(`The human answers: ${text ?? choice}`));
    }
    return Promise.resolve({ kind: 'ask', request: questionOf(context.step, { question, choices }) });
  },
};

export const finish: Tool = {
  name: 'finish',
  description: 'Ends the run with a short summary of what was done and what was not.',
  args: ARGS.finish,
  plan: (_context, raw) => {
    const { summary } = raw as { summary: string };
    return Promise.resolve(done('The run is finished.', { summary }));
  },
};
