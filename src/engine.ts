/**
 * Entry of the engine bundle: the core over its ports on Node. A part of the composition root in a file of its own, so that
 * a window without a run loads none of it.
 */
import type { HoldfastCore } from './core/api';
import { openHoldfast } from './core/holdfast';
import type { Ports } from './core/ports';
import { summarizeLoaded } from './core/run/load';
import type { LocalWord } from './core/transfer/archive';
import { NodeArchives } from './node/archive/archives';
import { addressWords, folderWords, keyWords, serverWords } from './node/archive/localWords';
import { NodeFiles } from './node/files';
import { NodeGit } from './node/git';
import { sha256 } from './node/hash';
import { nodeIds } from './node/ids';
import { noteStorage } from './node/noteStorage';
import { NodePatterns } from './node/patterns';
import { NodeProcesses } from './node/processes';
import { realFs } from './node/fs';
import { NodeStore } from './node/store';
import { Layout } from './node/store/layout';
import { NodeLease } from './node/store/lease';
import { NodeTree } from './node/tree';
import type { Whereabouts } from './node/whereabouts';
import { type ListedServers, type ServerSource, toolServers } from './toolServers';

export { toolArguments } from './core/tools';
/** Documents are made of runs: whoever opens one has the engine. */
export * as texts from './ui/documents/texts';
export { tellIgnored } from './ui/ignoredSettings';

type OnNode =
  | 'toolServers'
  | 'files'
  | 'store'
  | 'retention'
  | 'lease'
  | 'archives'
  | 'processes'
  | 'git'
  | 'tree'
  | 'patterns'
  | 'ids'
  | 'hash';

/** What the engine is given: the ports that are not on Node, and where it works. */
export interface EngineHost extends Omit<Ports, OnNode> {
  roots: { name: string; dir: string }[];
  /** The storage folder; need not exist. */
  dir: string;
  servers: ServerSource;
  /** Address and key of the model service: they never leave this machine. */
  service: () => Promise<{ baseUrl: string | undefined; key: string | undefined }>;
  /** The workspace that `dir` is noted for. */
  place: Whereabouts;
  /** For tests: asked in the middle of the write of a boundary. */
  midWrite?: (step: number) => Promise<void>;
}

export interface Engine {
  core: HoldfastCore;
  servers: ListedServers;
}

export async function openEngine({
  roots,
  dir,
  place,
  midWrite,
  servers: source,
  service,
  ...ports
}: EngineHost): Promise<Engine> {
  const files = new NodeFiles({ roots, reserved: [dir] });
  const lease = new NodeLease(realFs, new Layout(dir));
  const store = { dir, lease, probe: ports.probe, summarise: summarizeLoaded, ...(midWrite ? { midWrite } : {}) };
  const servers = toolServers({ roots, ...ports }, source);
  const stored = new NodeStore(store);
  const words = async (): Promise<LocalWord[]> => {
    const { baseUrl, key } = await service();
    const folders = roots.flatMap((root) => folderWords(root.dir, `<folder ${root.name}>`));
    const listed = (await servers.list()).map(({ server, what }) => ({
      text: what,
      instead: `<MCP server ${server}>`,
    }));
    return [
      ...[...folders, ...folderWords(dir, '<storage>'), ...listed],
      ...[...addressWords(baseUrl, '<model service>'), ...keyWords(key), ...serverWords(source.servers())],
    ];
  };
  const core = await openHoldfast({
    ...ports,
    toolServers: servers,
    files,
    store: stored,
    retention: stored.retention,
    lease,
    archives: new NodeArchives({ fs: realFs, dir, store: stored, words }),
    processes: new NodeProcesses({ folder: (at) => files.folder(at) }),
    git: new NodeGit({ roots }),
    tree: new NodeTree({ roots, dir }),
    patterns: new NodePatterns(),
    ids: nodeIds,
    hash: sha256,
  });
  await noteStorage(dir, place).catch((error: unknown) =>
    ports.log.warn(`where the runs are was not noted: ${String(error)}`),
  );
  return { core, servers };
}
