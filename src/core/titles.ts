/** A short line for a call, for people: what, and on what. */
const one = (value: unknown): string => {
  if (typeof value !== 'string') return '';
  const line = value.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
};

const VERBS: Readonly<Record<string, string>> = {
  read_file: 'Read',
  list_files: 'List',
  search_text: 'Search for',
  write_file: 'Write',
  edit_file: 'Edit',
  delete_file: 'Delete',
  move_file: 'Move',
  run_command: 'Run',
  get_diagnostics: 'Look at problems',
  update_plan: 'Update the plan',
  ask_human: 'Ask:',
  finish: 'Finish',
};

export function titleOf(tool: string, args: unknown): string {
  const verb = (Object.hasOwn(VERBS, tool) ? VERBS[tool] : undefined) ?? tool;
  if (typeof args !== 'object' || args === null) return verb.replace(/:$/, '');
  const a = args as Record<string, unknown>;
  const what = one(a['path'] ?? a['command'] ?? a['query'] ?? a['question'] ?? a['from'] ?? '');
  const to = tool === 'move_file' ? ` to ${one(a['to'])}` : '';
  return what || to ? `${verb} ${what}${to}` : verb.replace(/:$/, '');
}
