import js from '@eslint/js';
import ts from 'typescript-eslint';

/** Rooms and who may enter which (docs/house.md). `no`: patterns of imports that are refused in a room. */
const OUTSIDE = ['vscode', 'node:*', 'fs', 'path', 'os', 'child_process', 'crypto'];
const room = (name, ...no) => ['**/' + name + '/**', ...no];
const rooms = {
  core: [
    ...OUTSIDE,
    ...['node', 'models', 'agents', 'interop', 'vscode', 'ui', 'webview', 'protocol'].map((r) => `**/${r}/**`),
  ],
  node: ['vscode', ...room('models'), ...room('ui'), ...room('webview'), ...room('protocol'), '**/vscode/**'],
  models: [
    'vscode',
    ...room('ui'),
    ...room('webview'),
    ...room('protocol'),
    '**/vscode/**',
    '**/src/node/**',
    '../node/**',
    '../../node/**',
  ],
  interop: ['vscode', ...['node', 'models', 'agents', 'vscode', 'ui', 'webview', 'protocol'].map((r) => `**/${r}/**`)],
  vscode: [...room('ui'), ...room('webview'), ...room('models'), '../node/**'],
  ui: [...room('webview'), '../node/**', '../../node/**', '../models/**', '../../models/**'],
  webview: ['vscode', 'node:*', '**/core/**', '**/ui/**', '**/vscode/**', '../node/**', '../models/**'],
  protocol: ['vscode', 'node:*', '../**'],
};

export default ts.config(
  { ignores: ['dist/', 'out/', 'node_modules/', '.vscode-test/', 'samples/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [ts.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-control-regex': 'off',
      'max-lines': ['error', { max: 400 }],
    },
  },
  ...Object.entries(rooms).map(([name, group]) => ({
    files: [`src/${name}/**/*.ts`],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message: `Not from the room src/${name}.` }] }] },
  })),
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        setImmediate: 'readonly',
        document: 'readonly',
        window: 'readonly',
        globalThis: 'readonly',
      },
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-floating-promises': 'error', '@typescript-eslint/require-await': 'off' },
  },
);
