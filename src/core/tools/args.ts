/** Arguments of the tools, once: checked at the call, shown to the model as JSON Schema, listed for playbooks. */
import * as z from 'zod/mini';

const text = (words: string) => z.string().check(z.meta({ description: words }));
/** A longer one takes seconds to be made a pattern, in the host's own loop. */
const glob = (words: string) => z.string().check(z.maxLength(1000), z.meta({ description: words }));
const path = text('Path relative to the workspace, with /. In a multi-root workspace it starts with the folder name.');

export const ARGS = {
  read_file: z.object({
    path,
    from_line: z.optional(z.int().check(z.gte(1), z.meta({ description: 'First line, from 1.' }))),
    to_line: z.optional(z.int().check(z.gte(1), z.meta({ description: 'Last line, inclusive.' }))),
  }),
  list_files: z.object({
    path: z._default(text('Folder; "." is the workspace.'), '.'),
    glob: z.optional(glob('Only paths that match, for example src/**/*.ts.')),
    depth: z.optional(z.int().check(z.gte(1), z.lte(50))),
  }),
  search_text: z.object({
    query: z
      .string()
      .check(z.minLength(1), z.meta({ description: 'Text to find; a regular expression when regex is true.' })),
    glob: z.optional(glob('Only files that match.')),
    regex: z.optional(z.boolean()),
  }),
  write_file: z.object({ path, content: text('The whole new content, with LF line ends.') }),
  edit_file: z.object({
    path,
    old_text: z
      .string()
      .check(
        z.minLength(1),
        z.meta({ description: 'Exact text that is there now; must occur once unless all is true.' }),
      ),
    new_text: text('What replaces it.'),
    all: z.optional(z.boolean()),
  }),
  delete_file: z.object({ path }),
  move_file: z.object({ from: path, to: path }),
  run_command: z.object({
    command: z.string().check(z.minLength(1), z.meta({ description: 'Command line for the shell.' })),
    cwd: z.optional(text('Folder to run in; default: the first workspace folder.')),
    background: z.optional(z.boolean()),
    timeout_s: z.optional(z.number().check(z.gt(0), z.lte(86_400))),
  }),
  get_diagnostics: z.object({ path: z.optional(path) }),
  update_plan: z.object({
    items: z.array(
      z.object({ title: z.string(), status: z._default(z.enum(['pending', 'running', 'done']), 'pending') }),
    ),
  }),
  ask_human: z.object({
    question: z.string().check(z.minLength(1)),
    choices: z.optional(z.array(z.string().check(z.minLength(1)))),
  }),
  finish: z.object({ summary: z._default(z.string(), '') }),
} as const;

export type ToolName = keyof typeof ARGS;
export type ArgsOf<T extends ToolName> = z.infer<(typeof ARGS)[T]>;

/** Names of required and optional arguments per tool, for playbooks and their diagnostics. */
export function toolArguments(): Record<string, { required: string[]; optional: string[] }> {
  return Object.fromEntries(
    Object.entries(ARGS).map(([name, schema]) => {
      const keys = Object.entries<z.ZodMiniType>(schema.def.shape);
      const optional = keys
        .filter(([, s]) => s.def.type === 'optional' || s.def.type === 'default')
        .map(([key]) => key);
      return [name, { required: keys.map(([key]) => key).filter((key) => !optional.includes(key)), optional }];
    }),
  );
}

/** One sentence per fault, for the model. */
export function faults(error: z.core.$ZodError): string {
  return error.issues
    .map((issue) => {
      const where = issue.path.length > 0 ? `"${issue.path.join('.')}"` : 'the arguments';
      return `${where}: ${issue.message || issue.code}`;
    })
    .join('; ');
}
