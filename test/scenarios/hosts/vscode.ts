/** The real extension in a real VS Code, asked through its commands; runs inside the extension host. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { commands, ConfigurationTarget, Uri, workspace } from 'vscode';
import type { HoldfastCore } from '../../../src/core/api';
import type { HoldProbe } from '../../../src/core/holdProbe';
import type { EngineRef } from '../../../src/core/ports';
import type { ProbePoint } from '../../../src/core/probe';
import type { RunState, RunSummary } from '../../../src/core/run/state';
import { Digester } from '../digest';
import type { Human, Scenario } from '../types';
import { within } from '../watch';
import type { Place } from '../workspace';
import { actInEditor, closeEditors, documentsShowDisk, openDocument, showEditor } from './editors';
import { type CommandName, type Host, type HostListener, NotBuilt } from './host';

/** What `activate()` returns beside the public API in ExtensionMode.Test. */
export interface TestApi {
  core: HoldfastCore;
  probe: HoldProbe;
  /** Folder of the runs. */
  storage?: string;
}

const SETTLE_MS = 15_000;
/** Ids of commands that are there. */
const known = new Set<string>();

export class VscodeHost implements Host {
  readonly name = 'vscode';
  readonly restarts = false;
  private readonly digester = new Digester();
  private place: Place | undefined;
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly api: TestApi,
    private readonly storageFolder: string,
    /** A folder of the runner, for playbooks. */
    private readonly scratch: string,
  ) {}

  async open(scenario: Scenario, place: Place, modelUrl: string, listener: HostListener): Promise<void> {
    const { setup, run } = scenario;
    if (setup.storage) throw new NotBuilt('setup.storage', 'on host vscode not built yet');
    if (setup.workspaceSettings && setup.folders)
      throw new NotBuilt('setup.workspaceSettings', 'not built yet with folders');
    this.place = place;
    const { core, probe } = this.api;
    const current = (): string | undefined => core.current()?.runId;
    this.stopListening = core.onDidChange((state) => listener.changed(this.digester.digest(state, current())));
    probe.onHeld = ({ point, step }) => listener.held(point, step);
    const settings = new Map<string, unknown>([
      ['files.autoSave', 'off'],
      ['holdfast.approvals', 'auto'],
      ...Object.entries(setup.settings ?? {}),
      ...(run.approvals ? [['holdfast.approvals', run.approvals] as const] : []),
      ['holdfast.model', 'openai'],
      ['holdfast.openai.baseUrl', modelUrl],
      ['holdfast.openai.modelId', 'scripted'],
    ]);
    await applySettings(settings);
    await documentsShowDisk(place.workspace);
    for (const name of setup.open ?? []) await showEditor(place.at(name));
  }

  async command(name: CommandName, args: Record<string, unknown>): Promise<unknown> {
    const id = `holdfast.${name}`;
    // Asked once: the answer comes from a busy window, and a stop that waits for it is not the product's.
    if (!known.has(id)) for (const one of await commands.getCommands(true)) known.add(one);
    if (!known.has(id)) throw new NotBuilt(name);
    return commands.executeCommand(id, name === 'startRun' ? await this.startArgument(args) : args);
  }

  state(runId: string): Promise<RunState | undefined> {
    const { core } = this.api;
    const there = core.get(runId);
    return there ? Promise.resolve(there) : core.load(runId);
  }

  currentRun(): Promise<string | undefined> {
    return Promise.resolve(this.api.core.current()?.runId);
  }

  runs(): Promise<readonly RunSummary[]> {
    return Promise.resolve(this.api.core.runs());
  }

  hold(point: ProbePoint, step: number | undefined): Promise<void> {
    return Promise.resolve(this.api.probe.hold(point, step));
  }

  release(point: ProbePoint, step: number | undefined): Promise<void> {
    return Promise.resolve(this.api.probe.release(point, step));
  }

  fault = (): Promise<never> => nodeOnly('fault');
  clock = (): Promise<never> => nodeOnly('clock');
  kill = (): Promise<never> => nodeOnly('kill');
  reopen = (): Promise<never> => nodeOnly('reopen');

  editor(key: keyof Human, human: Human): Promise<void> {
    return this.place ? actInEditor(key, human, this.place) : Promise.reject(new Error('the host is not open'));
  }

  buffer(name: string): Promise<{ text: string; dirty: boolean } | undefined> {
    const doc = this.place && openDocument(this.place.at(name));
    return Promise.resolve(doc && { text: doc.getText(), dirty: doc.isDirty });
  }

  /** Other extensions have processes here too: only marked ones count. */
  processRoot(): undefined {
    return undefined;
  }

  storage(): string {
    return this.storageFolder;
  }

  /** Leaves the window as it was: no editors, no runs. Settings are set right by the next scenario. */
  async close(): Promise<void> {
    const { core, probe } = this.api;
    this.stopListening?.();
    probe.onHeld = undefined;
    probe.releaseAll();
    for (const { runId } of core.runs()) await within(this.deleteRun(runId), SETTLE_MS, `deleting the run ${runId}`);
    await closeEditors();
  }

  private async deleteRun(runId: string): Promise<void> {
    const { core } = this.api;
    await core.load(runId);
    // a stop under way is made stronger; a final run answers with a refusal
    await core.abort({ runId });
    const answer = await core.deleteRun({ runId });
    if ('refused' in answer) throw new Error(`a run could not be deleted: ${answer.message}`);
  }

  /** The command takes playbooks as files; ours lies outside of the workspace. */
  private async startArgument({ goal, engine }: { goal?: string; engine?: EngineRef }): Promise<object> {
    const base = goal === undefined ? {} : { goal };
    if (engine?.kind !== 'playbook') return base;
    const file = path.join(this.scratch, 'scenario.playbook.json');
    await writeFile(file, engine.source);
    return { ...base, playbook: Uri.file(file) };
  }
}

/** User settings that scenarios of this window have set; each is written only where it differs, for it takes a while. */
const applied = new Map<string, unknown>();

async function applySettings(wanted: ReadonlyMap<string, unknown>): Promise<void> {
  for (const key of applied.keys()) if (!wanted.has(key)) await set(key, undefined);
  for (const [key, value] of wanted) if (!applied.has(key) || applied.get(key) !== value) await set(key, value);
}

async function set(key: string, value: unknown): Promise<void> {
  const configuration = workspace.getConfiguration();
  await configuration.update(key, value, ConfigurationTarget.Global);
  if (value === undefined) applied.delete(key);
  else applied.set(key, value);
  const read = (): string => JSON.stringify(workspace.getConfiguration().inspect(key)?.globalValue) ?? 'undefined';
  const arrived = (): boolean => read() === (JSON.stringify(value) ?? 'undefined');
  for (let tries = 0; !arrived(); tries++) {
    if (tries > 100) throw new Error(`the setting ${key} did not arrive: it is ${read()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function nodeOnly(name: string): Promise<never> {
  return Promise.reject(new NotBuilt(name, 'plays on host node only'));
}
