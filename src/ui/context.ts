/** What each feature is given. Features know this, not each other. */
import type { Uri } from 'vscode';
import type { HoldfastCore } from '../core/api';
import type { Buffers } from '../core/ports';
import type { ChannelLog } from '../vscode/log';
import type { TerminalOutput } from '../vscode/output';
import type { Keys } from '../vscode/secrets';
import type * as Texts from './documents/texts';
import type { Drafts } from './decisions/draft';
import type { PlaybookParser } from './playbooks/parser';
import type { Typed } from './steer/typed';
import type { ServerList } from './servers/servers';
import type { ServerTrust } from '../vscode/serverTrust';
import type { Watch } from './watch';

export interface Ui {
  core: HoldfastCore;
  watch: Watch;
  buffers: Buffers;
  drafts: Drafts;
  typed: Typed;
  keys: Keys;
  log: ChannelLog;
  output: TerminalOutput;
  extensionUri: Uri;
  /** The texts of documents, loaded when first asked for. */
  texts(): typeof Texts;
  /** Names settings of ours in the workspace that have no effect there. */
  tellIgnored(): Promise<void>;
  playbooks: PlaybookParser;
  servers: ServerList;
  serverTrust: ServerTrust;
  /** Why a run without a playbook cannot start, in one sentence; undefined: a model is set up. */
  modelProblem(): Promise<string | undefined>;
  /** Why nothing can run here; undefined: it can. */
  blocked(): 'noFolder' | 'untrusted' | undefined;
}
