/** The composition root: the only place where objects of different rooms meet. */
import { ExtensionMode, workspace, type ExtensionContext } from 'vscode';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { HoldfastCore } from './core/api';
import { HoldProbe } from './core/holdProbe';
import { onDemand } from './core/onDemand';
import type { Models } from './core/ports';
import { noProbe } from './core/probe';
import type * as EngineBundle from './engine';
import type * as ModelsBundle from './models';
import { realClock, ShiftedClock } from './node/clock';
import { findStorage } from './node/whereabouts';
import { emptyCore, guarded, ServerQuestions, unopened, UserInterface, Watch, type HoldfastApi } from './ui';
import * as code from './vscode';

// Files beside this one, loaded when first needed: they are most of the code.
const bundled = createRequire(__filename);
const engineBundle = (): typeof EngineBundle => bundled('./engine.js') as typeof EngineBundle;
const modelsBundle = (): typeof ModelsBundle => bundled('./models.js') as typeof ModelsBundle;

let core: HoldfastCore = emptyCore();

export async function activate(context: ExtensionContext): Promise<HoldfastApi> {
  const testing = context.extensionMode === ExtensionMode.Test;
  const clock = testing ? new ShiftedClock() : realClock;
  const probe = testing ? new HoldProbe() : noProbe;
  const [log, output, buffers] = [new code.ChannelLog(), new code.TerminalOutput(), new code.VscodeBuffers()];
  const keys = new code.Keys(context.secrets);
  const roots = code.workspaceRoots();
  const given = roots.length > 0 ? context.storageUri?.fsPath : undefined;
  const place =
    given === undefined
      ? undefined
      : { dirs: roots.map((root) => root.dir), given, global: context.globalStorageUri.fsPath };
  const dir = place && findStorage(place);

  let made: Models | undefined;
  const models = (): Models => {
    const { provider, baseUrl, modelId } = code.modelSettings;
    const openai = { baseUrl, modelId, key: () => keys.openai() };
    const tools = engineBundle().toolArguments();
    return (made ??= modelsBundle().createModels({ openai, defaultProvider: provider, tools }));
  };

  const serverTrust = new code.ServerTrust(context.workspaceState);
  let servers: EngineBundle.Engine['servers'] | undefined;

  const midWrite = (step: number): Promise<void> => probe.at('checkpoint:midWrite', step);

  core = emptyCore();
  if (place && dir) {
    const host = {
      ...{ roots, dir, place, buffers, clock, probe, output, log, ...(testing ? { midWrite } : {}) },
      models: { open: (ref) => models().open(ref), defaultRef: () => models().defaultRef() } satisfies Models,
      diagnostics: new code.VscodeDiagnostics(),
      formatter: new code.VscodeFormatter(buffers),
      settings: new code.VscodeSettings(),
      servers: code.serverSource(serverTrust, new ServerQuestions(serverTrust)),
      service: async () => ({ baseUrl: code.modelSettings.baseUrl(), key: await keys.openai() }),
    };
    const engine = onDemand(async () => {
      try {
        const opened = await engineBundle().openEngine(host);
        servers = opened.servers;
        return opened.core;
      } catch (error) {
        return unopened(log, error);
      }
    });
    // The folder is made with the first run: what is there is offered and cleaned up now; else nothing more is loaded.
    if (existsSync(dir)) await engine.open();
    core = guarded(engine, () => workspace.isTrusted);
  }

  const watch = new Watch(core);
  const ui = new UserInterface(
    {
      ...{ core, watch, buffers, keys, log, output, extensionUri: context.extensionUri },
      ...{ serverTrust, servers: { list: async () => (await servers?.list()) ?? [] } },
      texts: () => engineBundle().texts,
      tellIgnored: () => engineBundle().tellIgnored(),
      playbooks: {
        parse: (source, format) => modelsBundle().parsePlaybook(source, format, engineBundle().toolArguments()),
      },
      modelProblem: () =>
        models()
          .defaultRef()
          .then((ref) => ('error' in ref ? ref.error.message : undefined)),
      blocked: () => (dir === undefined ? 'noFolder' : workspace.isTrusted ? undefined : 'untrusted'),
    },
    context.workspaceState,
  );
  context.subscriptions.push(log, output, watch, ui);
  return testing ? Object.assign(ui.api.v1, { test: { core, probe, clock, storage: dir } }) : ui.api.v1;
}

export async function deactivate(): Promise<void> {
  await core.dispose();
}
