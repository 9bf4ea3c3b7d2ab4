// Builds the extension (five bundles), or with --tests the tests, or with --watch keeps building.
import * as esbuild from 'esbuild';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

const watch = process.argv.includes('--watch');
const tests = process.argv.includes('--tests');
const production = process.argv.includes('--production');
const outdir = process.argv.find((arg) => arg.startsWith('--outdir='))?.slice('--outdir='.length) ?? 'dist';

/** Lines that the problem matcher of .vscode/tasks.json understands. */
const problemMatcher = {
  name: 'problem-matcher',
  setup(build) {
    build.onStart(() => {
      if (watch) console.log('[watch] build started');
    });
    build.onEnd((result) => {
      for (const { text, location } of result.errors) {
        console.error(`✘ [ERROR] ${text}`);
        if (location) console.error(`    ${location.file}:${location.line}:${location.column}:`);
      }
      if (watch) console.log('[watch] build finished');
    });
  },
};

/** zod ships some 250 locales that `import *` drags in; only English is ever shown. */
const oneLocale = {
  name: 'one-locale',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"',
      loader: 'js',
    }));
  },
};

/**
 * The model providers still take schemas of zod 3 and need of it the names of its kinds alone, which drags in all of it (57 KB).
 * Whoever needs more of it gets an error of the build.
 */
const kindsOfZod3 = {
  name: 'kinds-of-zod-3',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v3[\\/]index\.js$/ }, ({ path: file }) => {
      const types = readFileSync(path.join(path.dirname(file), 'types.js'), 'utf8');
      const [kinds] = /export var ZodFirstPartyTypeKind;[^}]*\}\)\(.*\);/.exec(types) ?? [];
      return kinds === undefined ? { errors: [{ text: 'zod 3 has no list of kinds' }] } : { contents: kinds };
    });
  },
};

/**
 * `import *` of zod drags these in (41 KB), and nobody here compiles schemas or reads JSON Schema into zod: whoever calls one
 * gets an error with its name.
 */
const zodUnused = {
  name: 'zod-unused',
  setup(build) {
    build.onLoad(
      { filter: /zod[\\/]v4[\\/](core[\\/]compile|classic[\\/]from-json-schema)\.js$/ },
      ({ path: file }) => {
        const names = [...readFileSync(file, 'utf8').matchAll(/^export (?:const|class|function) (\w+)/gm)].map(
          ([, name]) => name,
        );
        const stub = (name) => `export function ${name}() { throw new Error("zod's ${name} is not in this bundle"); }`;
        return { contents: names.map(stub).join('\n') };
      },
    );
  },
};

/** Cycles in what is checked: nothing here has any, and `zod/mini` goes without the memory for them too (6 KB). */
const noCycles = {
  name: 'no-cycles',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]core[\\/]memoizer\.js$/ }, () => ({
      contents:
        'export class $ZodCyclicError extends Error {} export const memoizer = () => undefined, isRecursiveSchema = () => false, isBackEdge = () => false;',
      loader: 'js',
    }));
  },
};

const common = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  external: ['vscode'],
  mainFields: ['module', 'main'],
  logLevel: 'silent',
  logOverride: { 'import-is-undefined': 'error' },
  sourcemap: production ? false : 'linked',
  minify: production,
  // the programs that load them read UTF-8; escapes would take up to twice as much
  charset: 'utf8',
  plugins: [problemMatcher, oneLocale, kindsOfZod3, zodUnused, noCycles],
};

const exists = (file) => statSync(file, { throwIfNoEntry: false }) !== undefined;
const below = (dir, suffix) =>
  exists(dir)
    ? readdirSync(dir, { recursive: true })
        .map((f) => path.join(dir, String(f)))
        .filter((f) => f.endsWith(suffix))
    : [];

function builds() {
  if (tests) {
    rmSync('out/test', { recursive: true, force: true });
    return [
      {
        ...common,
        entryPoints: [...below('test/unit', '.test.ts'), ...below('test/vscode', '.ts')],
        outbase: '.',
        outdir: 'out',
        external: ['vscode', 'mocha', 'esbuild', 'playwright-core', '@vscode/test-electron'],
        sourcemap: false,
      },
    ];
  }
  return [
    { ...common, entryPoints: { extension: 'src/extension.ts' }, outdir },
    { ...common, entryPoints: { engine: 'src/engine.ts' }, outdir },
    { ...common, entryPoints: { mcp: 'src/interop/mcp/index.ts' }, outdir },
    { ...common, entryPoints: { models: 'src/models/index.ts' }, outdir },
    {
      ...common,
      entryPoints: { webview: 'src/webview/main.ts' },
      outdir,
      format: 'iife',
      platform: 'browser',
      target: 'es2022',
    },
  ];
}

const contexts = await Promise.all(builds().map((options) => esbuild.context(options)));
if (watch) {
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  const results = await Promise.allSettled(contexts.map((context) => context.rebuild()));
  await Promise.all(contexts.map((context) => context.dispose()));
  if (results.some((result) => result.status === 'rejected')) process.exitCode = 1;
}
