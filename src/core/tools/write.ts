/** The write guard: what a proposal of the agent becomes on the text that is there now. Pure; the rules are product.md's. */
import type { FileRecord } from '../run/state';
import type { Look } from '../world';
import { whyNot } from '../world';
import { applyEdit, around } from '../reconcile/edit';
import { hunks, unified } from '../reconcile/diff';
import { countLines, splitLines, toLf } from '../reconcile/lines';
import { endsLine, merge3, restyle } from '../reconcile/merge3';
import {
  cannotHold,
  display,
  encodingName,
  isBinaryName,
  lacks,
  type Encoding,
  type TextView,
} from '../reconcile/text';

export type Proposal =
  { tool: 'write_file'; content: string } | { tool: 'edit_file'; old: string; next: string; all: boolean };

export interface WriteInput {
  now: Look;
  record: FileRecord | undefined;
  /** Text of the run's base, where it has one that is stored. */
  base: string | undefined;
  proposal: Proposal;
}

export type WritePlan =
  | {
      kind: 'write';
      text: string;
      encoding: Encoding;
      /** For the model: what was done, and what it did not know. */ note: string;
      recreate: boolean;
      seen?: { from: number; to: number }[];
    }
  | { kind: 'already'; note: string }
  | { kind: 'refused'; reason: string; note: string; overlap?: boolean }
  /** `ours` would have to replace `theirs`; the human says which. */
  | { kind: 'conflict'; base: string; theirs: string; ours: string; encoding: Encoding; note: string };

const refuse = (reason: string, note: string): WritePlan => ({ kind: 'refused', reason, note });

const excerpt = (text: string, max = 6000): string => {
  const shown = display(toLf(text));
  return shown.length <= max ? shown : `${shown.slice(0, max)}\n… (${shown.length - max} more characters)`;
};

/** What stands in the way before any text is compared. */
function obstacle(input: WriteInput): WritePlan | undefined {
  const { now, record, proposal } = input;
  const { path } = now;
  if (record?.renamedTo !== undefined && now.type === 'missing') {
    return refuse(
      'humanRenamed',
      `${path} was renamed by the human to ${record.renamedTo}. Nothing was written; use the new path.`,
    );
  }
  switch (now.type) {
    case 'directory':
      return refuse(
        'typeChanged',
        `${path} is a folder now (typeChanged); nothing was written and nothing was removed.`,
      );
    case 'link':
      return refuse('outside', `${path} is a link that leads outside the workspace; nothing was written.`);
    case 'other':
      return refuse('typeChanged', `${path} is no regular file; nothing was written.`);
    case 'unreadable':
      return refuse('unreadable', `${now.error ? whyNot(now.error) : `${path} cannot be read.`} Nothing was written.`);
    case 'missing':
      if (proposal.tool === 'edit_file') {
        return record?.deletedByHuman || (record?.base !== undefined && record.base !== null)
          ? refuse(
              'humanDeleted',
              `${path} was deleted by the human. Nothing was written; it stays deleted unless they want it back.`,
            )
          : refuse('notFound', `${path} does not exist; nothing was written.`);
      }
      break;
    case 'file':
      if (now.stat?.readOnly) return refuse('readOnly', `${path} is read-only; it was not written.`);
      break;
  }
  if (record?.keptUnsaved && now.dirty) {
    return refuse(
      'unsaved',
      `${path} has unsaved changes that the human wants to keep as they are; nothing was written.`,
    );
  }
  if (isBinaryName(path) || (now.type === 'file' && !now.view && now.bytes)) {
    return refuse('binary', `${path} is binary; it is never written as text. Nothing was written.`);
  }
  if (now.type === 'file' && !now.view) return refuse('tooLarge', `${path} is too large to be written as text.`);
  if (now.dirty && now.view && !now.bytes) {
    return refuse(
      'encoding',
      `The unsaved text of ${path} holds characters that cannot be kept in ${encodingName(now.view.encoding)}; nothing was written. Ask the human to save it.`,
    );
  }
  if (now.dirty && now.view?.foreign) {
    return refuse(
      'encoding',
      `${path} is open with unsaved changes and is not UTF-8; nothing was written. Ask the human to save it.`,
    );
  }
  return undefined;
}

/** Ranges of lines after an edit that put `delta` lines more at `line`; undefined when the edit lies outside what was seen. */
function movedRanges(
  seen: { from: number; to: number }[],
  line: number,
  span: number,
  delta: number,
): { from: number; to: number }[] | undefined {
  if (!seen.some((r) => r.from <= line && line + span - 1 <= r.to)) return undefined;
  return seen.map((r) => {
    if (r.to < line) return r;
    return r.from > line ? { from: r.from + delta, to: r.to + delta } : { from: r.from, to: r.to + delta };
  });
}

/** Where the lines seen of `base` stand in `now`: what the human put in or took out above them moves them. */
function shifted(seen: { from: number; to: number }[], base: string, now: string): { from: number; to: number }[] {
  if (base === now) return seen;
  const changes = hunks(splitLines(base).lines, splitLines(now).lines) ?? [];
  // Hunks count from 0, lines from 1; a hunk that ends before a line moves it.
  const moved = (line: number): number =>
    changes.reduce((at, h) => (h.to < line ? at + h.lines.length - (h.to - h.from) : at), line);
  return seen.map(({ from, to }) => ({ from: moved(from), to: moved(to) }));
}

function planEdit(input: WriteInput, proposal: Extract<Proposal, { tool: 'edit_file' }>): WritePlan {
  const { now, base, record } = input;
  const view = now.view;
  if (!view) return refuse('notFound', `${now.path} does not exist; nothing was written.`);
  const bad = cannotHold(view, proposal.next);
  if (bad) return refuse('encoding', `${bad} Nothing was written to ${now.path}.`);
  const edit = applyEdit(view.text, base, proposal.old, proposal.next, proposal.all);
  switch (edit.kind) {
    case 'already':
      return { kind: 'already', note: `Nothing to do: the edit is already in ${now.path}.` };
    case 'nothing':
      return { kind: 'already', note: `Nothing to do: old_text and new_text are the same.` };
    case 'ambiguous':
      return refuse(
        'notUnique',
        `old_text occurs ${edit.count} times in ${now.path} (lines ${edit.lines.join(', ')}${edit.count > edit.lines.length ? ' …' : ''}). Nothing was written; give more of the text around it, or set all.`,
      );
    case 'noMatch': {
      const place = display(around(view.text, base, proposal.old));
      return refuse(
        'noMatch',
        `old_text does not occur in ${now.path} as it is now; nothing was written. The text there now:\n${place}`,
      );
    }
    case 'edited': {
      let seen: { from: number; to: number }[] | undefined;
      // Only where the lines seen are still lines of this text.
      if (record?.seen) {
        const known = base === undefined ? record.seen : shifted(record.seen, base, view.text);
        const span = countLines(toLf(proposal.old));
        const ends = (text: string): number => toLf(text).split('\n').length;
        const delta =
          edit.count === 1 ? countLines(edit.text) - countLines(view.text) : ends(proposal.next) - ends(proposal.old);
        seen = known;
        for (const [i, line] of edit.at.entries()) {
          seen &&= movedRanges(seen, line + i * delta, span, delta);
        }
        if (!seen) {
          const parts = known.map((r) => `${r.from}-${r.to}`).join(', ');
          return refuse(
            'notSeen',
            `Only lines ${parts} of ${now.path} were read, the edit is at line ${edit.at.join(', ')}. Nothing was written; read that part first.`,
          );
        }
      }
      const times = edit.count > 1 ? ` in ${edit.count} places` : '';
      const news = base !== undefined && toLf(base) !== toLf(view.text) ? unified(now.path, base, view.text, 2000) : '';
      const note = `Edited ${now.path}${times} (line ${edit.line}).${news ? `\nThe human had changed it since you last saw it; their changes are kept:\n${news}` : ''}`;
      return {
        kind: 'write',
        text: edit.text,
        encoding: view.encoding,
        note,
        recreate: false,
        ...(seen ? { seen } : {}),
      };
    }
  }
}

const bare = (line: string): string => line.replace(/\r+$/, '');

/** Lines that stayed end in the CRs they had: a text in LF form, or one that is put into it twice, has them no more. */
function withCrs(lines: readonly string[], original: readonly string[]): string[] {
  const out = [...lines];
  if (!original.some((line) => line.endsWith('\r'))) return out;
  const changes = hunks(original.map(bare), lines.map(bare)) ?? [{ from: 0, to: original.length, lines }];
  let shift = 0;
  let at = 0;
  for (const hunk of [...changes, { from: original.length, to: original.length, lines: [] }]) {
    for (let i = at; i < hunk.from; i += 1) out[i + shift] = original[i] ?? '';
    at = hunk.to;
    shift += hunk.lines.length - (hunk.to - hunk.from);
  }
  return out;
}

/** Lines given back as they were shown get their bytes again; of several that look the same only all, in their order. */
function asTheyWere(lines: readonly string[], original: readonly string[]): string[] {
  const alike = new Map<string, { all: string[]; differ: boolean }>();
  for (const line of original) {
    const shown = display(line);
    const meant = alike.get(shown);
    if (!meant) alike.set(shown, { all: [line], differ: false });
    else {
      meant.differ ||= meant.all[0] !== line;
      meant.all.push(line);
    }
  }
  const given = new Map<string, number>();
  for (const line of lines) given.set(line, (given.get(line) ?? 0) + 1);
  const turn = new Map<string, number>();
  return lines.map((line) => {
    const meant = alike.get(line);
    if (!meant?.differ) return meant?.all[0] ?? line;
    const k = turn.get(line) ?? 0;
    turn.set(line, k + 1);
    return meant.all.length === given.get(line) ? (meant.all[k] ?? line) : line;
  });
}

/**
 * The proposal as text of this file: its line ends, and its foreign bytes where the model gave a line back as it was shown
 * (U+FFFD for each such byte). A string is why it cannot be.
 */
function dressed(content: string, view: TextView, byHuman = false): { text: string } | { why: string } {
  const model = view.text;
  let { lines } = splitLines(toLf(content));
  const original = splitLines(model).lines;
  if (view.foreign) {
    const bytes = asTheyWere(lines.map(bare), original.map(bare));
    lines = lines.map((line, i) => (bytes[i] ?? '') + line.slice(bare(line).length));
    const known = new Set(original.map(bare));
    const harmed =
      typeof view.encoding === 'object'
        ? undefined
        : lines.find((line) => !known.has(bare(line)) && /[^\x00-\x7f]/.test(line));
    if (harmed !== undefined)
      return {
        why: `The file is not UTF-8; the line "${display(harmed).slice(0, 80)}" cannot be put into it without harm.`,
      };
  }
  if (byHuman) lines = withCrs(lines, original);
  const lacking = lacks(view, lines);
  if (lacking !== undefined) return { why: lacking };
  if (model === '') return { text: content };
  return { text: restyle(lines, endsLine(content), model) };
}

/**
 * A text the human put together for a file that holds `view` now: its encoding, and its line ends where lines stayed. Not
 * given: what is there. A string is why it cannot be.
 */
export function byHand(text: string | undefined, view: TextView | undefined): { text: string } | { why: string } {
  if (text === undefined || !view) return { text: text ?? view?.text ?? '' };
  return dressed(text, view, true);
}

function planWhole(input: WriteInput, content: string): WritePlan {
  const { now, record, base } = input;
  const { path } = now;
  const bad = cannotHold(undefined, content);
  if (bad) return refuse('encoding', `${bad} Nothing was written to ${path}.`);
  if (now.type === 'missing') {
    const recreate = record?.deletedByHuman === true || (record?.base !== undefined && record.base !== null);
    return {
      kind: 'write',
      text: content,
      encoding: 'utf8',
      note: `${recreate ? 'Created again' : 'Created'} ${path}.`,
      recreate,
    };
  }
  const view = now.view;
  if (!view) return refuse('binary', `${path} is not text; nothing was written.`);
  if (!record || record.base === undefined || record.base === null) {
    return refuse('notRead', `${path} exists and this run has not read it. Nothing was written; read it first.`);
  }
  if (record.seen) {
    const lines = splitLines(view.text).lines.length;
    const known = record.seen.map((r) => `${r.from}-${r.to}`).join(', ');
    return refuse(
      'notSeen',
      `Only lines ${known} of ${path} (${lines} lines) were read, so it cannot be written whole. Use edit_file, or read the rest first.`,
    );
  }
  const proposal = dressed(content, view);
  if ('why' in proposal) return refuse('encoding', `${proposal.why} Nothing was written; use edit_file.`);
  const ours = proposal.text;
  if (ours === view.text) return { kind: 'already', note: `Nothing to do: ${path} has this content already.` };
  if (record.base === now.hash)
    return { kind: 'write', text: ours, encoding: view.encoding, note: `Wrote ${path}.`, recreate: false };
  if (base === undefined) {
    return refuse(
      'changed',
      `${path} was changed by the human since you last saw it. Nothing was written; read it again.`,
    );
  }
  const merged = merge3(base, ours, view.text);
  const news = unified(path, base, view.text, 3000);
  const diff = news ? `\nThe human's changes:\n${news}` : '';
  if (merged.clean) {
    if (merged.text === view.text)
      return {
        kind: 'already',
        note: `Nothing to do: all of it is in ${path} already, beside the human's changes.${diff}`,
      };
    return {
      kind: 'write',
      text: merged.text,
      encoding: view.encoding,
      note: `Wrote ${path}, merged with changes the human had made since you last saw it.${diff}`,
      recreate: false,
    };
  }
  return {
    kind: 'conflict',
    base,
    theirs: view.text,
    ours,
    encoding: view.encoding,
    note: `${path} was not written: your text overlaps with changes the human made since you last saw it. Keep their text and write only what is compatible with it. Current text:\n${excerpt(view.text)}`,
  };
}

/** Decides; nothing is read or written here. */
export function planWrite(input: WriteInput): WritePlan {
  const blocked = obstacle(input);
  if (blocked) return blocked;
  return input.proposal.tool === 'edit_file'
    ? planEdit(input, input.proposal)
    : planWhole(input, input.proposal.content);
}

/** The text an edit would have made of the base, for a conflict that shows both; undefined when it does not apply there either. */
export function editOfBase(base: string | undefined, proposal: Proposal): string | undefined {
  if (base === undefined || proposal.tool !== 'edit_file') return undefined;
  const edit = applyEdit(base, undefined, proposal.old, proposal.next, proposal.all);
  return edit.kind === 'edited' ? edit.text : undefined;
}
