/** All features over one context. Each registers its own; none knows another but through what it is given here. */
import { workspace, type Memento } from 'vscode';
import { Disposable } from '../vscode/disposable';
import { ExportedApi } from './api';
import { Offers } from './checkpoints/offers';
import { Restores } from './checkpoints/restore';
import { ShownChanges } from './checkpoints/shown';
import { Commands } from './commands';
import { UndoOutcomes } from './commands/compensate';
import { RunCommands } from './commands/run';
import { StartCommands } from './commands/start';
import type { Ui } from './context';
import { RunContextKeys } from './contextKeys';
import { Answers } from './decisions/answer';
import { Drafts } from './decisions/draft';
import { Completion, Notifications } from './decisions/notify';
import { registerBlobs } from './documents/blobs';
import { SettledChanges } from './documents/compare';
import { RunDocuments } from './documents/runDocuments';
import { RunDecorations } from './decorations';
import { FolderChanges } from './folders';
import { HumanLineMarks } from './humanLines';
import { PlaybookDiagnostics } from './playbooks/diagnostics';
import { ViewProgress } from './progress';
import { StatusBar } from './statusBar';
import { Typed } from './steer/typed';
import { SteerView } from './steer/view';
import { historyRows } from './tree/history';
import { ListView } from './tree/list';
import { RunView } from './tree/view';
import { ITEMS, VIEWS } from '../vscode/ids';
import { ResultFiles } from '../vscode/resultFiles';

export type { Ui } from './context';
export type { HoldfastApi } from './api';
export { emptyCore, guarded } from './guard';
export { unopened } from './unopened';
export { ServerQuestions } from './servers/servers';
export { Watch } from './watch';

export class UserInterface extends Disposable {
  readonly api: ExportedApi;

  constructor(given: Omit<Ui, 'drafts' | 'typed'>, memory: Pick<Memento, 'get' | 'update'>) {
    super();
    const files = this._register(new ResultFiles(memory));
    const ui: Ui = {
      ...given,
      typed: new Typed(),
      drafts: this._register(new Drafts(files, () => given.watch.refresh())),
    };
    this._register(registerBlobs(ui.core));
    this._register(new SettledChanges(ui.watch));
    const documents = this._register(new RunDocuments(ui));
    const answers = this._register(new Answers(ui));
    const run = this._register(new RunCommands(ui, documents));
    const start = new StartCommands(ui);
    const restores = new Restores(ui, this._register(new ShownChanges()));
    this._register(new Commands(ui, { run, start, documents, answers, restores }));
    this._register(new RunContextKeys(ui));
    this._register(new RunView(ui));
    const { core, watch } = ui;
    this._register(
      new ListView(ui, VIEWS.checkpoints, () =>
        watch.state ? ui.texts().checkpointRows(watch.state, ITEMS.checkpoint) : [],
      ),
    );
    this._register(new ListView(ui, VIEWS.history, () => historyRows(core.runs(), watch.state?.runId, Date.now())));
    const steer = this._register(new SteerView(ui, { run, start, answers }));
    this._register(new StatusBar(ui));
    this._register(new RunDecorations(ui));
    this._register(new ViewProgress(ui));
    this._register(new Notifications(ui, answers, steer));
    this._register(new Completion(ui));
    this._register(new Offers(ui, restores));
    this._register(new UndoOutcomes(ui));
    this._register(new PlaybookDiagnostics(ui));
    this._register(new HumanLineMarks(ui));
    this._register(new FolderChanges());
    this._register(workspace.onDidGrantWorkspaceTrust(() => ui.watch.refresh()));
    this.api = this._register(new ExportedApi(ui.core, ui.watch));
  }
}
