/** From a playbook file to what a run is driven by. */
import { window, workspace, type Uri } from 'vscode';
import type { EngineRef } from '../../core/ports';
import type { Refusal } from '../../core/errors';
import { PLAYBOOK_GLOB } from '../../vscode/ids';
import type { Ui } from '../context';
import { refusal } from '../messages';
import { inPick, oneLine } from '../render/words';
import { newPlaybook } from './create';
import { rangeOf } from './diagnostics';
import { formatOf, type PlaybookProblem } from './parser';

type Engine = Extract<EngineRef, { kind: 'playbook' }>;
export type OpenedPlaybook = { engine: Engine } | { refused: Refusal; uri: Uri; at?: PlaybookProblem };

const nameOf = (uri: Uri): string => uri.path.slice(uri.path.lastIndexOf('/') + 1);

/** Reads the file as the editor shows it: what is typed and not saved counts. */
export async function openPlaybook(ui: Ui, uri: Uri): Promise<OpenedPlaybook> {
  const label = nameOf(uri);
  const format = formatOf(uri.path);
  if (!format) {
    return {
      uri,
      refused: refusal(
        'badArgument',
        `${label} is no playbook: its name must end with .playbook.json, .playbook.yaml or .playbook.yml.`,
      ),
    };
  }
  // A clean document can be older than the file: watchers come late, or never outside of the workspace.
  const typed = workspace.textDocuments.find(
    (one) => (one.isDirty || one.isUntitled) && one.uri.toString() === uri.toString(),
  );
  const source =
    typed?.getText() ??
    (await workspace.fs.readFile(uri).then(
      (bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
      () => undefined,
    ));
  if (source === undefined)
    return {
      uri,
      refused: refusal('badArgument', `${label} cannot be read: check that the file is there and is text.`),
    };
  const parsed = ui.playbooks.parse(source, format);
  if ('playbook' in parsed) return { engine: { kind: 'playbook', label, source, format } };
  const [first, ...more] = parsed.problems;
  const rest = more.length === 0 ? '' : ` And ${more.length} more: see Problems.`;
  const place = first ? `, line ${first.line}, column ${first.column}: ${first.message}` : ' is not a playbook.';
  return { uri, refused: refusal('badArgument', `${label}${place}${rest}`), ...(first ? { at: first } : {}) };
}

export async function showProblem(uri: Uri, problem: PlaybookProblem): Promise<void> {
  await window.showTextDocument(uri, { selection: rangeOf(problem) });
}

/** undefined: none chosen. */
export async function pickPlaybook(): Promise<Uri | undefined> {
  const found = await workspace.findFiles(PLAYBOOK_GLOB, '**/node_modules/**', 200);
  const active = window.activeTextEditor?.document.uri;
  const isActive = (uri: Uri): boolean => uri.toString() === active?.toString();
  found.sort((a, b) => Number(isActive(b)) - Number(isActive(a)) || a.path.localeCompare(b.path));
  if (found.length === 0) return askForFile();
  const items = found.map((uri) => {
    const folder = oneLine(workspace.asRelativePath(uri), 120).slice(0, -nameOf(uri).length - 1);
    return { label: inPick(nameOf(uri)), ...(folder === '' ? {} : { description: folder }), uri };
  });
  const picked = await window.showQuickPick(items, {
    title: 'Run Playbook',
    placeHolder: 'Pick the playbook to run',
    matchOnDescription: true,
  });
  return picked?.uri;
}

async function askForFile(): Promise<Uri | undefined> {
  const [make, choose] = ['New Playbook', 'Choose a File'];
  const pressed = await window.showInformationMessage(
    'No playbook in this workspace: begin with an example, or choose a file.',
    make,
    choose,
  );
  if (pressed === make) await newPlaybook();
  if (pressed !== choose) return undefined;
  const uris = await window.showOpenDialog({
    title: 'Run Playbook',
    openLabel: 'Run',
    filters: { Playbooks: ['json', 'yaml', 'yml'] },
  });
  return uris?.[0];
}
