/** The composition root: the only place where objects of different rooms meet. */
import { ExtensionMode, workspace, type ExtensionContext } from 'vscode';
import { createRequire } from 'node:module';
import type { HoldfastCore } from './core/api';
import { HoldProbe } from './core/holdProbe';
import { openHoldfast } from './core/holdfast';
import { summarizeLoaded } from './core/run/load';
import type { Models } from './core/ports';
import { noProbe } from './core/probe';
import { toolArguments } from './core/tools';
import type * as ModelsBundle from './models';
import { realClock, ShiftedClock } from './node/clock';
import { NodeFiles } from './node/files';
import { NodeGit } from './node/git';
import { sha256 } from './node/hash';
import { nodeIds } from './node/ids';
import { NodePatterns } from './node/patterns';
import { NodeProcesses } from './node/processes';
import { NodeStore } from './node/store';
import { emptyCore, guarded, unopened, UserInterface, Watch, type HoldfastApi } from './ui';
import * as code from './vscode';

let core: HoldfastCore = emptyCore();

export async function activate(context: ExtensionContext): Promise<HoldfastApi> {
  const testing = context.extensionMode === ExtensionMode.Test;
  const clock = testing ? new ShiftedClock() : realClock;
  const probe = testing ? new HoldProbe() : noProbe;
  const [log, output, buffers] = [new code.ChannelLog(), new code.TerminalOutput(), new code.VscodeBuffers()];
  const keys = new code.Keys(context.secrets);
  const roots = code.workspaceRoots();
  const dir = roots.length > 0 ? context.storageUri?.fsPath : undefined;

  // A file beside this one, loaded when first needed: the model providers are most of the code.
  const bundle = (): typeof ModelsBundle => createRequire(__filename)('./models.js') as typeof ModelsBundle;
  let made: Models | undefined;
  const models = (): Models => {
    const { provider, baseUrl, modelId } = code.modelSettings;
    const openai = { baseUrl, modelId, key: () => keys.openai() };
    return (made ??= bundle().createModels({ openai, defaultProvider: provider, tools: toolArguments() }));
  };

  const midWrite = (step: number): Promise<void> => probe.at('checkpoint:midWrite', step);

  core = emptyCore();
  if (dir !== undefined) {
    const files = new NodeFiles({ roots, reserved: [dir] });
    const ports = { files, buffers, clock, probe, output, log, ids: nodeIds, hash: sha256 };
    const opening = openHoldfast({
      ...ports,
      models: { open: (ref) => models().open(ref), defaultRef: () => models().defaultRef() },
      store: new NodeStore({ dir, probe, summarise: summarizeLoaded, ...(testing ? { midWrite } : {}) }),
      processes: new NodeProcesses({ folder: (at) => files.folder(at) }),
      git: new NodeGit({ roots }),
      patterns: new NodePatterns(),
      diagnostics: new code.VscodeDiagnostics(),
      settings: new code.VscodeSettings(),
    });
    core = guarded(await opening.catch((error: unknown) => unopened(log, error)), () => workspace.isTrusted);
  }

  const watch = new Watch(core);
  const ui = new UserInterface({
    ...{ core, watch, buffers, keys, log, output, extensionUri: context.extensionUri },
    playbooks: { parse: (source, format) => bundle().parsePlaybook(source, format, toolArguments()) },
    modelProblem: () =>
      models()
        .defaultRef()
        .then((ref) => ('error' in ref ? ref.error.message : undefined)),
    blocked: () => (dir === undefined ? 'noFolder' : workspace.isTrusted ? undefined : 'untrusted'),
  });
  context.subscriptions.push(log, output, watch, ui);
  return testing ? Object.assign(ui.api.v1, { test: { core, probe, clock, storage: dir } }) : ui.api.v1;
}

export async function deactivate(): Promise<void> {
  await core.dispose();
}
