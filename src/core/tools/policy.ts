/** Who must be asked before a call: the approvals setting, and the paths that always ask. Pure. */
import type { Path, Settings } from '../ports';
import { guardOfPath, guardWords } from '../run/guards';
import type { RunState } from '../run/state';
import { pathTest } from './pathRule';

/** Touching one always asks; its content is kept out of storage. */
export const SECRET_PATHS: readonly string[] = [
  '**/.env',
  '**/.env.*',
  '**/*.pem',
  '**/*.key',
  '**/*.p12',
  '**/*.pfx',
  '**/id_rsa*',
  '**/id_ed25519*',
  '**/id_ecdsa*',
  '**/.netrc',
  '**/.npmrc',
  '**/.pypirc',
  '**/credentials',
  '**/credentials.json',
  '**/secrets.*',
];

/** Writing one always asks, also with `auto`. */
export const SENSITIVE_PATHS: readonly string[] = [
  '**/.vscode/**',
  '**/*.code-workspace',
  '**/.gitattributes',
  '**/.gitconfig',
  '**/.gitmodules',
  '**/.husky/**',
  '**/.bashrc',
  '**/.bash_profile',
  '**/.profile',
  '**/.zshrc',
  '**/.envrc',
  '**/.github/workflows/**',
  '**/.gitlab-ci.yml',
  '**/.circleci/**',
  '**/Jenkinsfile',
  '**/azure-pipelines.yml',
  '**/AGENTS.md',
  '**/CLAUDE.md',
  '**/GEMINI.md',
  '**/.cursorrules',
  '**/.clinerules',
  '**/.devcontainer/**',
];

const matches = (path: Path, values: readonly string[]): boolean => values.length > 0 && pathTest(values)(path);

/** For many paths at once: settings are read one time. */
export const secretTest = (settings: Pick<Settings, 'secretPaths'>): ((path: Path) => boolean) =>
  pathTest([...SECRET_PATHS, ...settings.secretPaths()]);

export const isSecret = (path: Path, settings: Settings): boolean => secretTest(settings)(path);

export const isSensitive = (path: Path, settings: Settings): boolean =>
  matches(path, [...SENSITIVE_PATHS, ...settings.sensitivePaths()]);

export const isProtected = (path: Path, settings: Settings): boolean => matches(path, settings.protectedPaths());

/** Why the agent may not write here, in words: a setting or a guard; undefined: it may. */
export function whyProtected(path: Path, settings: Settings, state: RunState): string | undefined {
  if (isProtected(path, settings)) return `${path} is protected (holdfast.protectedPaths)`;
  const guard = guardOfPath(state, path);
  return guard && `${path} is protected by a guard of the human ("${guardWords(guard)}")`;
}

export type Deed = 'read' | 'edit' | 'delete' | 'command' | 'external';

/** Why the human must be asked, in words; empty: nobody is asked. */
export function reasonsToAsk(deed: Deed, paths: readonly Path[], settings: Settings): string[] {
  const reasons: string[] = [];
  const mode = settings.approvals();
  if (mode !== 'auto' && deed === 'command') reasons.push('Commands are asked about (holdfast.approvals).');
  if (mode !== 'auto' && deed === 'external')
    reasons.push('Calls of MCP servers are asked about (holdfast.approvals).');
  if (mode !== 'auto' && deed === 'delete') reasons.push('Deletions are asked about (holdfast.approvals).');
  if (mode === 'edits' && deed === 'edit') reasons.push('Edits are asked about (holdfast.approvals).');
  for (const path of paths) {
    if (isSecret(path, settings)) reasons.push(`${path} looks like it holds secrets.`);
    else if (deed !== 'read' && isSensitive(path, settings)) reasons.push(`${path} can change how tools behave.`);
  }
  return reasons;
}
