/** The tools of the agent, and how they are described to a model. */
import type { ToolSpec } from '../ports';
import { askHuman, finish, runCommand, updatePlan } from './others';
import { getDiagnostics, listFiles, readFile, searchText } from './reading';
import { deleteFile, moveFile } from './removing';
import type { Tool } from './tool';
import { editFile, writeFile } from './writing';

const TOOLS: readonly Tool[] = [
  readFile,
  listFiles,
  searchText,
  writeFile,
  editFile,
  deleteFile,
  moveFile,
  runCommand,
  getDiagnostics,
  updatePlan,
  askHuman,
  finish,
];

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

export const toolNamed = (name: string): Tool | undefined => BY_NAME.get(name);

let specs: ToolSpec[] | undefined;

/** Made once: the same bytes in every request help caches of model services. */
export function toolSpecs(): ToolSpec[] {
  specs ??= TOOLS.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: { zod: tool.args },
  }));
  return specs;
}

export { toolArguments } from './args';
