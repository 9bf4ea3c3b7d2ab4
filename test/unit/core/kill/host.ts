/** The core on its Node adapters, without an editor. */
import path from 'node:path';
import type { Buffers, Ports, Settings } from '../../../../src/core/ports';
import { noProbe } from '../../../../src/core/probe';
import { toolArguments } from '../../../../src/core/tools';
import { createModels } from '../../../../src/models/index';
import { realClock } from '../../../../src/node/clock';
import { NodeFiles } from '../../../../src/node/files';
import { realFs } from '../../../../src/node/fs';
import { NodeGit } from '../../../../src/node/git';
import { sha256 } from '../../../../src/node/hash';
import { nodeIds } from '../../../../src/node/ids';
import { NodeProcesses } from '../../../../src/node/processes';
import { NodeStore } from '../../../../src/node/store';
import { NodeTree } from '../../../../src/node/tree';
import { Layout } from '../../../../src/node/store/layout';
import { NodeLease } from '../../../../src/node/store/lease';

export interface Place {
  workspace: string;
  storage: string;
}

const noBuffers: Buffers = {
  get: () => undefined,
  dirty: () => [],
  edit: () => Promise.resolve(false),
  save: () => Promise.resolve(false),
  discard: () => Promise.resolve(false),
  settle: () => Promise.resolve('notOpen'),
};

const settings: Settings = {
  approvals: () => 'auto',
  approvalTtlMinutes: () => 60,
  pauseCommands: () => 'freeze',
  stopGraceMs: () => 500,
  unsavedOnResume: () => 'ask',
  humanLines: () => 'ask',
  protectedPaths: () => [],
  sensitivePaths: () => [],
  secretPaths: () => [],
  commandsAllow: () => [],
  commandsDeny: () => [],
  limits: () => ({}),
};

/** `shipped`: with the lease, the memory of the workspace and the cleaning that a host for humans has. */
export function nodePorts({ workspace, storage }: Place, shipped = false): Ports {
  const roots = [{ name: path.basename(workspace), dir: workspace }];
  const fs = realFs;
  const files = new NodeFiles({ roots, reserved: [storage], fs });
  const processes = new NodeProcesses({ folder: (given) => files.folder(given) });
  const lease = new NodeLease(fs, new Layout(storage));
  const store = new NodeStore({ dir: storage, fs, ...(shipped ? { lease } : {}) });
  const nothing = { baseUrl: () => undefined, modelId: () => undefined, key: () => Promise.resolve(undefined) };
  return {
    files,
    buffers: noBuffers,
    models: createModels({ openai: nothing, defaultProvider: () => 'playbook', tools: toolArguments() }),
    processes,
    store,
    ...(shipped ? { lease, retention: store.retention, tree: new NodeTree({ roots, dir: storage, fs }) } : {}),
    clock: realClock,
    ids: nodeIds,
    git: new NodeGit({ roots, fs: realFs }),
    diagnostics: { get: () => Promise.resolve(undefined) },
    settings,
    output: { opened: () => undefined, data: () => undefined, closed: () => undefined },
    log: { info: () => undefined, warn: () => undefined, error: (message, error) => console.error(message, error) },
    probe: noProbe,
    hash: sha256,
  };
}
