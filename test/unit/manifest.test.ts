/** The manifest and the code name the same things. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SECRET_PATHS, SENSITIVE_PATHS } from '../../src/core/tools/policy';
import { actionsOf } from '../../src/ui/actions';
import {
  COMMANDS,
  CONTAINER,
  CONTEXT_KEYS,
  ITEM_COMMANDS,
  ITEMS,
  LANGUAGE,
  SETTINGS,
  SCHEMES,
  VIEWS,
} from '../../src/vscode/ids';
import { runState } from './ui/states';

interface Item {
  command: string;
  when?: string;
}
interface Setting {
  scope: string;
  order: number;
  default: unknown;
  markdownDescription: string;
  enum?: string[];
  markdownEnumDescriptions?: string[];
}
interface Manifest {
  icon: string;
  main: string;
  activationEvents: string[];
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  capabilities: {
    untrustedWorkspaces: { supported: unknown; restrictedConfigurations: string[] };
    virtualWorkspaces: { supported: boolean };
  };
  contributes: {
    commands: { command: string; title: string; category: string; icon?: string; enablement?: string }[];
    views: Record<string, { id: string; icon: string }[]>;
    viewsContainers: Record<string, { id: string; icon: string }[]>;
    viewsWelcome: { view: string; when: string }[];
    menus: Record<string, Item[]>;
    keybindings: (Item & { key: string; mac: string })[];
    configuration: { title: string; properties: Record<string, Setting> }[];
    languages: { id: string }[];
    grammars: { path: string }[];
    jsonValidation: { url: string }[];
  };
}

const read = (file: string): string => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const texts = JSON.parse(read('package.nls.json')) as Record<string, string>;
const { contributes, capabilities } = manifest;
const settings: Record<string, Setting> = Object.fromEntries(
  contributes.configuration.flatMap((c) => Object.entries(c.properties)),
);
const menuItems = Object.values(contributes.menus).flat();
const whens = [
  ...menuItems.map((item) => item.when),
  ...contributes.keybindings.map((item) => item.when),
  ...contributes.viewsWelcome.map((item) => item.when),
  ...contributes.commands.map((item) => item.enablement),
].filter((when) => when !== undefined);
const sorted = (list: readonly string[]): string[] => [...list].sort();
const unique = (list: readonly string[]): string[] => sorted([...new Set(list)]);

describe('manifest', () => {
  it('contributes exactly the commands that have a handler', () => {
    assert.deepEqual(sorted(contributes.commands.map((c) => c.command)), sorted(COMMANDS));
    for (const { title, category } of contributes.commands) {
      assert.equal(category, '%category%');
      assert.match(title, /^%command\./);
    }
  });

  it('hides commands on single items from the palette, and only those', () => {
    const hidden = contributes.menus['commandPalette'] ?? [];
    assert.deepEqual(sorted(hidden.map((item) => item.command)), sorted(ITEM_COMMANDS));
    assert.ok(hidden.every((item) => item.when === 'false'));
  });

  it('menus and keys name commands that exist', () => {
    const known = new Set<string>(COMMANDS);
    for (const { command } of [...menuItems, ...contributes.keybindings]) assert.ok(known.has(command), command);
  });

  it('contributes exactly the views of the code, at most five, each with an icon', () => {
    const views = Object.values(contributes.views).flat();
    assert.deepEqual(sorted(views.map((view) => view.id)), sorted(Object.values(VIEWS)));
    assert.ok(views.length <= 5);
    assert.deepEqual(
      contributes.viewsContainers['activitybar']?.map((c) => c.id),
      [CONTAINER],
    );
    for (const { icon } of [...views, ...(contributes.viewsContainers['activitybar'] ?? [])])
      assert.ok(existsSync(icon), icon);
    const known = new Set<string>(Object.values(VIEWS));
    for (const { view } of contributes.viewsWelcome) assert.ok(known.has(view), view);
  });

  it('uses only context keys that the code sets, and all of them but those for others', () => {
    const used = unique(
      whens.flatMap(
        (when) =>
          when.match(/holdfast\.(?:status|control|hasRun|needsHuman|hasCommand|canUndo|undoing|showsChanges)\b/g) ?? [],
      ),
    );
    for (const key of used) assert.ok((CONTEXT_KEYS as string[]).includes(key), key);
    // `holdfast.control` is there for key bindings and menus of the users.
    assert.deepEqual(sorted([...used, 'holdfast.control']), sorted(CONTEXT_KEYS));
    const known = new Set<string>([...CONTEXT_KEYS, ...Object.values(ITEMS), ...Object.values(VIEWS)]);
    for (const when of whens) {
      for (const id of when.replace(/\/\^holdfast\\\.file\//, '').match(/\bholdfast\.[\w.]+/g) ?? [])
        assert.ok(known.has(id), `${id} in ${when}`);
    }
  });

  it('binds item menus to the context values of the tree', () => {
    const item = (contributes.menus['view/item/context'] ?? []).flatMap(
      (one) => one.when?.match(/viewItem == ([\w.]+)/)?.[1] ?? [],
    );
    const known = new Set<string>(Object.values(ITEMS));
    for (const value of item) assert.ok(known.has(value), value);
  });

  it('contributes exactly the settings the code reads, described, ordered, with their scopes', () => {
    assert.deepEqual(sorted(Object.keys(settings)), sorted(Object.keys(SETTINGS)));
    const orders = Object.values(settings).map((setting) => setting.order);
    assert.equal(new Set(orders).size, orders.length);
    for (const [id, setting] of Object.entries(settings)) {
      assert.match(setting.markdownDescription, /^%setting\./, id);
      assert.notEqual(setting.default, undefined, id);
      const origin = SETTINGS[id as keyof typeof SETTINGS];
      assert.equal(setting.scope, origin === 'machine' || origin === 'resource' ? origin : 'window', id);
      assert.equal(setting.markdownEnumDescriptions?.length, setting.enum?.length, id);
    }
  });

  it('shows the paths that always ask as they are in the code', () => {
    assert.deepEqual(settings['holdfast.sensitivePaths']?.default, [...SENSITIVE_PATHS]);
    assert.deepEqual(settings['holdfast.secretPaths']?.default, [...SECRET_PATHS]);
  });

  it('has every text it names, and names every text it has', () => {
    const named = unique([...read('package.json').matchAll(/"%([\w.]+)%"/g)].map((m) => m[1] ?? ''));
    assert.deepEqual(named, sorted(Object.keys(texts)));
  });

  it('stands in for the minor version of VS Code its types are of', () => {
    const minor = (version: string | undefined): string | undefined =>
      version?.replace(/^\^/, '').split('.').slice(0, 2).join('.');
    assert.equal(minor(manifest.engines.vscode), minor(manifest.devDependencies['@types/vscode']));
  });

  it('starts after the window, runs nothing untrusted, and nothing in virtual workspaces', () => {
    // And before, where a window comes back with one of our documents open: without us its editor would show an error for good.
    const schemes = Object.values(SCHEMES).map((scheme) => `onFileSystem:${scheme}`);
    assert.deepEqual(manifest.activationEvents, ['onStartupFinished', ...sorted(schemes)]);
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
    for (const id of capabilities.untrustedWorkspaces.restrictedConfigurations) assert.ok(id in settings, id);
    assert.equal(capabilities.virtualWorkspaces.supported, false);
  });

  it('has no emoji, and files where it says so', () => {
    const all = read('package.json') + read('package.nls.json');
    assert.doesNotMatch(all, /\p{Extended_Pictographic}/u);
    assert.ok(contributes.languages.some((language) => language.id === LANGUAGE));
    const files = [
      manifest.icon,
      ...contributes.grammars.map((g) => g.path),
      ...contributes.jsonValidation.map((v) => v.url),
    ];
    for (const file of files) assert.ok(existsSync(file), file);
    const png = readFileSync(manifest.icon);
    assert.ok(png.readUInt32BE(16) >= 128 && png.readUInt32BE(20) >= 128);
  });

  it('binds two-stroke chords, none with Ctrl+Alt, none for abort', () => {
    for (const { key, mac, when, command } of contributes.keybindings) {
      assert.match(key, /^ctrl\+k [a-z]$/);
      assert.equal(mac, key.replace('ctrl', 'cmd'));
      assert.ok(when);
      assert.notEqual(command, 'holdfast.abort');
    }
  });

  it('enables a command exactly where the button of the steering view is offered', () => {
    const statuses = [
      'running',
      'stopping',
      'paused',
      'awaitingApproval',
      'humanControl',
      'reconciling',
      'needsHuman',
      'aborted',
      'completed',
      'failed',
    ] as const;
    const enabled = (command: string, status: string, ...keys: string[]): boolean => {
      const clause = contributes.commands.find((c) => c.command === command)?.enablement ?? '';
      return clause.split(/ \|\| (?=holdfast)/).some((part) => {
        const pattern = /=~ \/(.*)\/$/.exec(part)?.[1];
        const fits = pattern === undefined ? part === `holdfast.status == ${status}` : new RegExp(pattern).test(status);
        return fits || keys.includes(part);
      });
    };
    for (const status of statuses) {
      const stopping =
        status === 'stopping' ? ({ intent: 'pause', at: 0, forced: false, phase: null, stepId: null } as const) : null;
      const offered = actionsOf(runState({ status, stopping }), 60_000);
      for (const action of ['pause', 'resume', 'takeOver', 'handBack', 'abort', 'forceStop'] as const) {
        assert.equal(enabled(`holdfast.${action}`, status), offered.includes(action), `${action} while ${status}`);
      }
    }
    // A run that is over, and still undoes or has left a command: what is offered can be pressed.
    const waits = { intent: 'abort', at: 0 } as const;
    for (const compensating of [
      { stepId: 'r/s1', at: 0 },
      { stepId: 'r/s1', at: 0, waits },
    ])
      for (const action of actionsOf(runState({ status: 'aborted', compensating }), 60_000))
        assert.ok(enabled(`holdfast.${action}`, 'aborted', 'holdfast.undoing'), action);
    assert.ok(enabled('holdfast.abort', 'completed', 'holdfast.hasCommand'));
  });

  it('uses VS Code only where it may', () => {
    const below = (dir: string): string[] =>
      readdirSync(dir, { recursive: true }).map((f) => path.join(dir, String(f)));
    for (const dir of ['src/core', 'src/webview', 'src/protocol', 'src/ui/render']) {
      for (const file of below(dir).filter((f) => f.endsWith('.ts')))
        assert.doesNotMatch(read(file), /from 'vscode'/, file);
    }
  });
});
