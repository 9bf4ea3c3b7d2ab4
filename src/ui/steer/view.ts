/** The view `holdfast.steer`: posts the whole small state, takes requests, answers each. */
import { randomBytes } from 'node:crypto';
import {
  commands,
  EventEmitter,
  Uri,
  window,
  workspace,
  type Webview,
  type WebviewView,
  type WebviewViewProvider,
} from 'vscode';
import { parseFromView, type FromView, type ToView } from '../../protocol/steer';
import { Disposable, DisposableStore } from '../../vscode/disposable';
import { VIEWS } from '../../vscode/ids';
import { execute } from '../../vscode/register';
import { uriOf } from '../../vscode/roots';
import { FORCE_AFTER_MS } from '../actions';
import { Forks } from '../checkpoints/fork';
import { offerGuards } from '../commands/guards';
import type { RunCommands } from '../commands/run';
import type { StartCommands } from '../commands/start';
import type { Ui } from '../context';
import type { Answers } from '../decisions/answer';
import { showChange } from '../documents/compare';
import { isRefusal } from '../messages';
import { redrawIn } from '../render/retry';
import { Throttle } from '../throttle';
import { steerPage } from './html';
import { steerState } from './viewState';

const POST_MS = 100;

interface Parts {
  run: RunCommands;
  start: StartCommands;
  answers: Answers;
}
const TOO_LATE = 'The note was delivered before your change.';

type Fate = { clear: boolean; message: string };
type Request = Extract<FromView, { request: number }>;

/** Cleared only where the text is safe with the core: a refusal or an undelivered note keeps it in the box. */
const fateOf = (result: unknown, clears: boolean): Fate =>
  isRefusal(result)
    ? { clear: false, message: result.message }
    : { clear: clears && result !== undefined, message: '' };

export class SteerView extends Disposable implements WebviewViewProvider {
  private shown: WebviewView | undefined;
  /** The page has said that it listens; false again for each new page. */
  private ready = false;
  private readonly seen = this._register(new EventEmitter<void>());
  /** `isSeen` may be another. */
  readonly onDidChangeSeen = this.seen.event;
  /** The keyboard is to go to the open question. */
  private focusWanted = false;
  private page = new DisposableStore();
  private readonly post: Throttle;
  private clock: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly ui: Ui,
    private readonly parts: Parts,
  ) {
    super();
    this.post = this._register(new Throttle(POST_MS, () => this.postState()));
    this._register(ui.watch.onDidChange(() => this.post.call()));
    this._register(workspace.onDidGrantWorkspaceTrust(() => this.post.call()));
    this._register(window.registerWebviewViewProvider(VIEWS.steer, this));
    ui.typed.follow((text) => this.send({ type: 'taken', ...text }));
    this._register(parts.run.onDidAsk(() => void this.focusQuestion()));
    this._register({ dispose: () => this.leave() });
  }

  resolveWebviewView(view: WebviewView): void {
    this.leave();
    this.shown = view;
    this.page = new DisposableStore();
    const { webview } = view;
    const root = this.ui.extensionUri;
    webview.options = {
      enableScripts: true,
      localResourceRoots: [Uri.joinPath(root, 'dist'), Uri.joinPath(root, 'media')],
    };
    this.page.add(webview.onDidReceiveMessage((data: unknown) => void this.receive(data)));
    this.page.add(
      view.onDidChangeVisibility(() => {
        this.post.call();
        this.seen.fire();
      }),
    );
    this.page.add(view.onDidDispose(() => this.leave()));
    webview.html = this.html(webview);
  }

  private html(webview: Webview): string {
    const at = (...path: string[]): string =>
      webview.asWebviewUri(Uri.joinPath(this.ui.extensionUri, ...path)).toString();
    return steerPage({
      source: webview.cspSource,
      nonce: randomBytes(16).toString('base64url'),
      script: at('dist', 'webview.js'),
      style: at('media', 'steer.css'),
    });
  }

  /** The human sees its cards. */
  get isSeen(): boolean {
    return this.ready && this.shown?.visible === true;
  }

  private leave(): void {
    clearTimeout(this.clock);
    this.page.dispose();
    this.shown = undefined;
    this.ready = false;
    this.seen.fire();
  }

  private send(message: ToView): void {
    if (this.ready) void this.shown?.webview.postMessage(message);
  }

  async focusQuestion(): Promise<void> {
    this.focusWanted = true;
    await commands.executeCommand(`${VIEWS.steer}.focus`);
    this.postState();
    this.passFocus();
  }

  /** A page that is made only now gets it when it listens. */
  private passFocus(): void {
    if (!this.ready || !this.focusWanted) return;
    this.focusWanted = false;
    this.send({ type: 'focusQuestion' });
  }

  private postState(): void {
    clearTimeout(this.clock);
    if (!this.ready || !this.shown?.visible) return;
    const now = Date.now();
    const run = this.ui.watch.state;
    this.send({
      type: 'state',
      state: steerState(run, this.ui.blocked(), now, this.ui.drafts.begun, this.ui.core.heldBy()),
    });
    // What depends on the time alone: the offer of a Force Stop, the seconds until the next try.
    const stop = run?.stopping ?? run?.compensating?.waits;
    const due = stop ? stop.at + FORCE_AFTER_MS - now : (redrawIn(run, now) ?? -1);
    if (due >= 0) this.clock = setTimeout(() => this.post.call(), due + 20);
  }

  private async receive(data: unknown): Promise<void> {
    const message = parseFromView(data);
    if (!message) return this.ui.log.warn('steering view: a message of unknown shape was dropped');
    switch (message.type) {
      case 'ready':
        this.ready = true;
        this.ui.typed.reset();
        this.postState();
        this.seen.fire();
        return this.passFocus();
      case 'typed':
        return this.ui.typed.set(message.texts);
      case 'showChange': {
        const decision = this.parts.answers.find(message.decisionId);
        return decision && showChange(decision);
      }
      case 'openFile': {
        const uri = this.ui.watch.state?.files.some((f) => f.path === message.path) && uriOf(message.path);
        return void (uri && (await commands.executeCommand('vscode.open', uri)));
      }
      case 'run':
        return this.runCommand(message.command);
      default: {
        const fate = await this.handle(message).catch((error: unknown) => {
          this.ui.log.error('steering view', error);
          return { clear: false, message: 'That did not work: see the log (Holdfast: Show Extension Log).' };
        });
        this.send({ type: 'answer', request: message.request, ...fate });
      }
    }
  }

  private async handle(message: Request): Promise<Fate> {
    switch (message.type) {
      case 'start':
        return this.start(message.text);
      case 'fork':
        return fateOf(await new Forks(this.ui).fork({ runId: message.runId, note: message.text }), true);
      case 'send': {
        const result = await this.ui.core.steer({ runId: message.runId, text: message.text, now: message.now });
        if (!isRefusal(result) && result.state === 'undelivered') {
          return { clear: false, message: 'The note was not delivered: the run had ended. Your text is still here.' };
        }
        if (!isRefusal(result)) offerGuards(this.ui, message.runId, result.offers);
        return fateOf(result, true);
      }
      case 'act':
        return fateOf(
          await this.parts.run.act(message.action, message.runId, message.text),
          message.action === 'handBack',
        );
      case 'editNote': {
        const { runId, noteId, text } = message;
        const result = await this.ui.core.editNote({ runId, noteId, text });
        return isRefusal(result) || result.state === 'queued'
          ? fateOf(result, true)
          : { clear: false, message: TOO_LATE };
      }
      case 'withdraw':
        return fateOf(await this.ui.core.withdrawNote({ runId: message.runId, noteId: message.noteId }), false);
      case 'decide':
        return fateOf(await this.parts.answers.answer(message.decisionId, message.choice, message.text), true);
    }
  }

  private async start(goal: string): Promise<Fate> {
    const result =
      goal.trim() === '' ? await execute('holdfast.startRun') : await this.parts.start.withGoal(goal.trim());
    // What is said with its buttons in a message is not said a second time here.
    return isRefusal(result) ? { clear: false, message: '' } : fateOf(result, true);
  }

  private async runCommand(command: Extract<FromView, { type: 'run' }>['command']): Promise<void> {
    if (command === 'runPlaybook') await execute('holdfast.runPlaybook');
    else await execute('holdfast.openTranscript');
  }
}
