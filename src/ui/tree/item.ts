/** A row as data, as an item of a tree of VS Code. */
import { ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState, Uri, type Command } from 'vscode';
import type { CommandId } from '../../vscode/ids';
import { uriOf } from '../../vscode/roots';
import type { TreeAction, TreeNode } from './node';

/** One object per id for as long as the row exists: VS Code tells rows apart by it. */
export interface TreeElement {
  node: TreeNode;
}

const command = (id: CommandId, title: string, ...given: unknown[]): Command => ({
  command: id,
  title,
  arguments: given,
});

function commandOf(action: TreeAction): Command {
  switch (action.do) {
    case 'transcript':
      return command(
        'holdfast.openTranscript',
        'Open Transcript',
        ...(action.runId === undefined ? [] : [{ runId: action.runId }]),
      );
    case 'output':
      return command('holdfast.showOutput', 'Show Output');
    case 'takeControl':
      return command('holdfast.takeControlHere', 'Take Control Here');
    case 'receipt':
      return command('holdfast.openReceipt', 'Open Receipt');
    case 'reconcile':
      return command('holdfast.showReconcile', 'Show What Changed');
    case 'answer':
      return command('holdfast.answer', 'Answer', { decisionId: action.decisionId, choice: action.choice });
    case 'change':
      return command('holdfast.showChange', 'Show Change', { decisionId: action.decisionId });
    case 'compare':
      return command(
        'holdfast.compareWithCheckpoint',
        'Compare with Checkpoint',
        {
          path: action.path,
          ...(action.from === 'last' ? {} : { checkpoint: action.from }),
          ...(action.runId === undefined ? {} : { runId: action.runId }),
        },
        'view',
      );
    case 'checkpoint':
      return command('holdfast.showCheckpoint', 'Show Changes Since', {
        runId: action.runId,
        checkpoint: action.checkpoint,
      });
    case 'openFile':
      return { command: 'vscode.open', title: 'Open', arguments: [uriOf(action.path)] };
  }
}

export function toItem(node: TreeNode): TreeItem {
  const closed = node.open ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.Collapsed;
  const item = new TreeItem(node.label, node.children.length > 0 || node.lazy ? closed : TreeItemCollapsibleState.None);
  item.id = node.id;
  if (node.description !== undefined) item.description = node.description;
  item.tooltip = node.tooltip ?? node.label;
  if (node.icon)
    item.iconPath = new ThemeIcon(
      node.icon.id,
      node.icon.color === undefined ? undefined : new ThemeColor(node.icon.color),
    );
  else if (node.path !== undefined) item.iconPath = ThemeIcon.File;
  if (node.path !== undefined) item.resourceUri = uriOf(node.path) ?? Uri.file(`/${node.path}`);
  if (node.context !== undefined) item.contextValue = node.context;
  if (node.spoken !== undefined) item.accessibilityInformation = { label: node.spoken };
  if (node.action) item.command = commandOf(node.action);
  return item;
}
