/** The core's ports on Node alone, as the extension composes them on VS Code: no editors, settings from the scenario. */
import path from 'node:path';
import type { HoldProbe } from '../../../src/core/holdProbe';
import type { Buffers, Diagnostics, Log, Output, Ports } from '../../../src/core/ports';
import { toolArguments } from '../../../src/core/tools';
import { createMcpServers } from '../../../src/interop/mcp/index';
import { createModels } from '../../../src/models/index';
import type { ShiftedClock } from '../../../src/node/clock';
import { type Faults, withFaults } from '../../../src/node/faults';
import { NodeFiles } from '../../../src/node/files';
import { realFs } from '../../../src/node/fs';
import { NodeGit } from '../../../src/node/git';
import { sha256 } from '../../../src/node/hash';
import { nodeIds } from '../../../src/node/ids';
import { NodePatterns } from '../../../src/node/patterns';
import { NodeProcesses } from '../../../src/node/processes';
import { NodeTree } from '../../../src/node/tree';
import { NodeStore } from '../../../src/node/store';
import { Layout } from '../../../src/node/store/layout';
import { NodeLease } from '../../../src/node/store/lease';
import { toolServers } from '../../../src/toolServers';
import type { OpenOptions } from './messages';
import { nodeSettings } from './nodeSettings';

interface Controls {
  probe: HoldProbe;
  clock: ShiftedClock;
  faults: Faults;
  log: (line: string) => void;
}

/** Documents of a host without an editor. */
const noBuffers: Buffers = {
  get: () => undefined,
  dirty: () => [],
  edit: () => Promise.resolve(false),
  save: () => Promise.resolve(false),
  discard: () => Promise.resolve(false),
  settle: () => Promise.resolve('notOpen'),
};
const noDiagnostics: Diagnostics = { get: () => Promise.resolve(undefined) };
const noOutput: Output = { opened: () => undefined, data: () => undefined, closed: () => undefined };

export function nodePorts(options: OpenOptions, { probe, clock, faults, log }: Controls): Ports {
  const { setup, run, workspace, storage, modelUrl } = options;
  const fs = withFaults(realFs, faults);
  const folders = setup.noFolder ? [] : (setup.folders ?? ['.']);
  const roots = folders
    .map((folder) => path.resolve(workspace, folder))
    .map((dir) => ({ name: path.basename(dir), dir }));
  const settings = nodeSettings(setup, run);
  const files = new NodeFiles({ roots, reserved: [storage], fs });
  const lease = new NodeLease(fs, new Layout(storage));
  const store = new NodeStore({
    dir: storage,
    lease,
    fs,
    probe,
    midWrite: (step) => probe.at('checkpoint:midWrite', step),
  });
  return {
    files,
    buffers: noBuffers,
    models: createModels({
      openai: {
        baseUrl: () => modelUrl,
        modelId: () => 'scripted',
        key: () => Promise.resolve('scripted-key'),
      },
      defaultProvider: () => 'openai',
      tools: toolArguments(),
    }),
    processes: new NodeProcesses({ folder: (given) => files.folder(given) }),
    store,
    retention: store.retention,
    lease,
    clock,
    ids: nodeIds,
    git: new NodeGit({ roots, fs }),
    tree: new NodeTree({ roots, dir: storage, fs }),
    diagnostics: noDiagnostics,
    settings,
    output: noOutput,
    toolServers: toolServers(
      { roots, clock, log: logTo(log), settings },
      {
        servers: () => setup.settings?.['holdfast.mcp.servers'],
        tools: () => setup.settings?.['holdfast.mcp.tools'],
        isAllowed: () => false,
        ask: () => undefined,
        isTrusted: () => true,
      },
      () => ({ createMcpServers }),
    ),
    log: logTo(log),
    probe,
    patterns: new NodePatterns(),
    hash: sha256,
  };
}

function logTo(line: (text: string) => void): Log {
  return {
    info: (message) => line(`info ${message}`),
    warn: (message) => line(`warn ${message}`),
    error: (message, error) => line(`error ${message}${error === undefined ? '' : `: ${reasonOf(error)}`}`),
  };
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error);
