/** Starting a run: asks for the goal, picks the playbook, and asks before another run is paused. */
import { commands, env, Uri, window } from 'vscode';
import type { StartOptions } from '../../core/api';
import type { Refusal } from '../../core/errors';
import type { CommandHandlers, StartArgument } from '../../vscode/ids';
import { VIEWS } from '../../vscode/ids';
import { execute } from '../../vscode/register';
import type { Ui } from '../context';
import { NO_FOLDER, UNTRUSTED } from '../guard';
import { complain, isRefusal, refusal, showRefusal, warn } from '../messages';
import { newPlaybook } from '../playbooks/create';
import { openPlaybook, pickPlaybook, showProblem } from '../playbooks/open';
import { inMessage } from '../render/words';
import { byHuman } from './target';

const SHOW_PROBLEMS = { title: 'Show Problems', run: () => commands.executeCommand('workbench.actions.view.problems') };

type Started = { runId: string } | Refusal | undefined;

export class StartCommands {
  private told: Promise<void> | undefined;

  constructor(private readonly ui: Ui) {}

  handlers(): Pick<CommandHandlers, 'holdfast.startRun' | 'holdfast.runPlaybook' | 'holdfast.newPlaybook'> {
    return {
      'holdfast.startRun': (argument) => (byHuman(argument) ? this.askGoal() : this.fromArgument(argument ?? {})),
      'holdfast.newPlaybook': async () => this.refuseHere(true) ?? newPlaybook(),
      'holdfast.runPlaybook': (uri, context) => this.playbook(uri, byHuman(uri, context)),
    };
  }

  /** The goal was written already (steering box). */
  async withGoal(goal: string): Promise<Started> {
    const problem = await this.ui.modelProblem();
    if (problem !== undefined) return this.noModel(problem);
    return this.start({ goal }, true);
  }

  private refuseHere(human: boolean): Refusal | undefined {
    const blocked = this.ui.blocked();
    const refused = blocked === 'noFolder' ? NO_FOLDER : blocked === 'untrusted' ? UNTRUSTED : undefined;
    if (refused && human) showRefusal(refused);
    return refused;
  }

  private async askGoal(): Promise<Started> {
    const refused = this.refuseHere(true);
    if (refused) return refused;
    const problem = await this.ui.modelProblem();
    if (problem !== undefined) return this.noModel(problem);
    const goal = await window.showInputBox({
      title: 'Start Run',
      prompt: 'What should the agent do?',
      placeHolder: 'Rename getUser to fetchUser and run the tests',
      ignoreFocusOut: true,
      validateInput: (value) => (value.trim() === '' ? 'Write the goal, or press Escape.' : undefined),
    });
    return goal === undefined ? undefined : this.start({ goal: goal.trim() }, true);
  }

  private noModel(problem: string): Refusal {
    void warn(
      inMessage(`${problem} The key of a service goes in with Set API Key.`, 400),
      {
        title: 'Open Settings',
        // Settings of the machine stand on the Remote tab of a remote window.
        run: () =>
          env.remoteName === undefined
            ? commands.executeCommand('workbench.action.openSettings', 'holdfast')
            : commands.executeCommand('workbench.action.openRemoteSettings', { query: 'holdfast' }),
      },
      { title: 'Set API Key', run: () => execute('holdfast.setApiKey') },
      { title: 'Run Playbook', run: () => this.playbook(undefined, true) },
    );
    return refusal('badArgument', problem);
  }

  private async fromArgument(argument: StartArgument): Promise<Started> {
    if (argument.agent !== undefined) {
      return refusal('notYet', 'Other agents come with a later version: leave out "agent".');
    }
    const goal = typeof argument.goal === 'string' && argument.goal.trim() !== '' ? { goal: argument.goal.trim() } : {};
    if (argument.playbook !== undefined) return this.playbook(argument.playbook, false, goal);
    if (argument.model === undefined) return this.start(goal, false);
    const [provider = '', ...rest] = argument.model.split('/');
    const modelId = rest.join('/');
    return this.start({ ...goal, engine: { kind: 'model', provider, ...(modelId === '' ? {} : { modelId }) } }, false);
  }

  private async playbook(given: Uri | undefined, human: boolean, goal: { goal?: string } = {}): Promise<Started> {
    const refused = this.refuseHere(human);
    if (refused) return refused;
    const uri = given ?? (await pickPlaybook());
    if (!uri) return undefined;
    const opened = await openPlaybook(this.ui, uri instanceof Uri ? uri : Uri.parse(String(uri)));
    if ('engine' in opened) return this.start({ ...goal, engine: opened.engine }, human);
    if (human) {
      const { at } = opened;
      if (at) await showProblem(opened.uri, at);
      void complain(inMessage(opened.refused.message, 400), ...(at ? [SHOW_PROBLEMS] : []));
    }
    return opened.refused;
  }

  private async start(options: StartOptions, human: boolean): Promise<Started> {
    const result = await this.ui.core.startRun(options);
    if (!human) return result;
    if (isRefusal(result)) {
      if (result.code === 'busy' && this.ui.watch.active) return this.askBusy(options, result);
      showRefusal(result);
      return result;
    }
    await commands.executeCommand(`${VIEWS.run}.focus`, { preserveFocus: true });
    // Once in a window.
    this.told ??= this.ui.tellIgnored();
    return result;
  }

  /** One run at a time has agent control: the human says which. */
  private async askBusy(options: StartOptions, refused: Refusal): Promise<Started> {
    const active = this.ui.watch.active;
    if (!active) return refused;
    const pause = 'Pause It and Start';
    const pressed = await window.showWarningMessage(
      `“${inMessage(active.goal, 80)}” is at work. Only one run at a time may change the workspace.`,
      pause,
    );
    if (pressed !== pause) return undefined;
    const paused = await this.ui.core.pause({ runId: active.runId });
    if (isRefusal(paused)) {
      showRefusal(paused);
      return paused;
    }
    const again = await this.ui.core.startRun(options);
    if (isRefusal(again)) showRefusal(again);
    return again;
  }
}
