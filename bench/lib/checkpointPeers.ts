/** What others do at a checkpoint, with the same payload. They live in `bench/node_modules`, installed when first wanted. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Low } from 'lowdb';
import { JSONFile } from 'lowdb/node';
import { content, FILES, TEXT_BYTES } from './checkpointRun';

/** Bytes this process has handed to the system to write; 0 where the system does not say. */
export function bytesWritten(): number {
  const file = '/proc/self/io';
  return existsSync(file) ? Number(/^wchar: (\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) : 0;
}

const text = (step: number): string => content(step, FILES, TEXT_BYTES).toString();
const changed = (step: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: FILES }, (_, file) => [`src/f${file}.ts`, content(step, file).toString()]));

/** One growing JSON document, written whole at each step. */
export async function lowdb(dir: string, steps: number): Promise<number[]> {
  mkdirSync(dir, { recursive: true });
  const data: { steps: string[]; files: Record<string, string> } = { steps: [], files: {} };
  const db = new Low(new JSONFile<typeof data>(path.join(dir, 'db.json')), data);
  const times: number[] = [];
  for (let step = 1; step <= steps; step += 1) {
    data.steps.push(text(step));
    data.files = changed(step);
    const from = performance.now();
    await db.write();
    times.push(performance.now() - from);
  }
  return times;
}

interface LangGraph {
  Annotation: ((options: object) => unknown) & { Root(channels: object): unknown };
  StateGraph: new (annotation: unknown) => {
    addNode(name: string, node: (state: { step: number }) => object): void;
    addEdge(from: string, to: string): void;
    addConditionalEdges(from: string, to: (state: { step: number }) => string): void;
    compile(options: object): { stream(input: object, options: object): Promise<AsyncIterable<unknown>> };
  };
  START: string;
  END: string;
}

/** `folder`: where `bench/package.json` is. Their SQLite is native: built here, as no ready one may be within reach. */
function peers(folder: string): NodeJS.Require {
  const modules = path.join(folder, 'node_modules');
  const npm = (...args: string[]): void =>
    void execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: 'inherit',
    });
  // npm writes this file when it is through
  if (!existsSync(path.join(modules, '.package-lock.json'))) {
    console.error('Installing the peers of the bench (npm ci in bench/)');
    npm('ci', '--ignore-scripts');
  }
  if (!existsSync(path.join(modules, 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node'))) {
    console.error('Building their SQLite (two minutes; a C++ compiler is needed)');
    // with the headers beside this Node, where it brought them along
    const prefix = path.dirname(path.dirname(realpathSync(process.execPath)));
    const headers = existsSync(path.join(prefix, 'include', 'node')) ? [`--nodedir=${prefix}`] : [];
    npm('rebuild', 'better-sqlite3', ...headers);
  }
  return createRequire(path.join(folder, 'package.json'));
}

/** A graph of one node that runs once per step, with its SQLite saver. */
export async function langgraph(
  folder: string,
  dir: string,
  steps: number,
  durability: 'sync' | 'async',
): Promise<number[]> {
  const load = peers(folder);
  const { Annotation, StateGraph, START, END } = load('@langchain/langgraph') as LangGraph;
  const { SqliteSaver } = load('@langchain/langgraph-checkpoint-sqlite') as {
    SqliteSaver: { fromConnString(file: string): { db: { close(): void } } };
  };
  mkdirSync(dir, { recursive: true });
  const checkpointer = SqliteSaver.fromConnString(path.join(dir, 'checkpoints.db'));
  const last = (_: unknown, b: unknown): unknown => b;
  const graph = new StateGraph(
    Annotation.Root({
      texts: Annotation({ reducer: (a: string[], b: string[]) => [...a, ...b], default: () => [] }),
      files: Annotation({ reducer: last, default: () => ({}) }),
      step: Annotation({ reducer: last, default: () => 0 }),
    }),
  );
  graph.addNode('agent', ({ step }) => ({ texts: [text(step + 1)], files: changed(step + 1), step: step + 1 }));
  graph.addEdge(START, 'agent');
  graph.addConditionalEdges('agent', ({ step }) => (step < steps ? 'agent' : END));
  const compiled = graph.compile({ checkpointer });
  const options = {
    configurable: { thread_id: 'bench' },
    recursionLimit: steps + 10,
    streamMode: 'updates',
    durability,
  };
  const times: number[] = [];
  let from = performance.now();
  for await (const update of await compiled.stream({}, options)) {
    void update;
    times.push(performance.now() - from);
    from = performance.now();
  }
  checkpointer.db.close();
  return times;
}

/** A repository beside the workspace, the way many agents keep checkpoints. */
export function shadowGit(workspace: string, gitDir: string, steps: number): number[] {
  const git = (...args: string[]): void => {
    const env = { ...process.env, GIT_DIR: gitDir, GIT_WORK_TREE: workspace, GIT_CONFIG_GLOBAL: '/dev/null' };
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@b', '-c', 'gc.auto=0', ...args], {
      env,
      stdio: 'ignore',
    });
  };
  git('init');
  git('add', '-A');
  git('commit', '-m', '0');
  const times: number[] = [];
  for (let step = 1; step <= steps; step += 1) {
    for (let file = 0; file < FILES; file += 1) writeFileSync(path.join(workspace, `f${file}.ts`), content(step, file));
    const from = performance.now();
    git('add', '-A');
    git('commit', '-m', String(step));
    times.push(performance.now() - from);
  }
  return times;
}
