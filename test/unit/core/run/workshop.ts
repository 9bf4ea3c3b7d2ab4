/** One file that an agent and a human both work on, on the simulated world, and an oracle that watches each of its changes. */
import assert from 'node:assert/strict';
import { isFinal, type Decision } from '../../../../src/core/run/state';
import { modelInfo, type Brain, type Reply } from '../../../sim/model';
import { SimWorld } from '../../../sim/world';
import { OneRun } from './oneRun';

/** What the agent proposes: `take` lines from `at` on go, `put` new ones come. */
export interface Proposal {
  kind: 'edit' | 'write' | 'read' | 'delete' | 'move';
  at: number;
  take: number;
  put: number;
  fresh: boolean;
  pauseBefore: boolean;
}

/** What the human types: into the file on disk, or into the editor, saved or not. */
export interface Typing {
  at: number;
  take: number;
  put: number;
  where: 'disk' | 'buffer' | 'saved';
}

/** How they answer. */
export interface Ask {
  grant: boolean;
  meanwhile: Typing | null;
  unsaved: 'save' | 'keep';
}

export const PATHS = ['a.txt', 'b.txt'] as const;

/** Each line the human types has a name of its own. */
const isHuman = (line: string): boolean => /^h\d+$/.test(line);
const linesOf = (text: string): string[] => text.split(/\r?\n/);
const textOf = (bytes: Uint8Array | null | undefined): string => (bytes ? new TextDecoder().decode(bytes) : '');

export class Workshop extends OneRun {
  /** Lines of the human that must be there. */
  alive = new Set<string>();
  /** What the oracle found. */
  readonly wrong: string[] = [];
  written = 0;
  approved = 0;
  private names = 0;
  private next = 0;
  private read = '';

  constructor(
    text: string,
    private readonly eol: string,
    private readonly proposals: readonly Proposal[],
  ) {
    const brain: Brain = {
      info: modelInfo({ files: [PATHS[0]] }),
      answer: () => this.reply(),
      said: () => void (this.next += 1),
    };
    super(new SimWorld({ brain, files: { [PATHS[0]]: text } }));
    this.read = text;
    this.world.files.onChange = (changes) =>
      this.judge(
        changes.map((c) => textOf(c.before)),
        changes.map((c) => textOf(c.after)),
      );
    this.world.buffers.onChange = ({ op, before, after }) => {
      if (op === 'edit') this.judge([before], [after]);
    };
  }

  /** As the human sees it: the unsaved text where there is one. */
  text(path: string): string {
    const buffer = this.world.buffers.get(path);
    return buffer?.dirty ? buffer.text : (this.world.files.text(path) ?? '');
  }

  private get path(): string {
    return PATHS.find((path) => this.world.files.bytes(path)) ?? PATHS[0];
  }

  /** Plays the run to its end; the human types whenever it stands still. */
  async play(typed: readonly Typing[], asks: readonly Ask[]): Promise<void> {
    await this.world.open();
    await this.start();
    for (let turn = 0; turn < 100; turn += 1) {
      await this.world.settle(1000);
      if (isFinal(this.state.status)) return;
      const typing = typed[turn % typed.length];
      const ask = asks[turn % asks.length];
      assert.ok(typing && ask);
      if (this.state.status === 'paused') {
        this.type(typing);
        await this.world.finish(this.core.resume());
        continue;
      }
      const open = this.state.decisions.find((d) => d.state === 'pending');
      assert.ok(open, `it stands still: ${this.state.status}`);
      if (ask.meanwhile && turn < 20) this.type(ask.meanwhile);
      await this.world.finish(this.core.decide({ decisionId: open.id, choice: answerTo(open, ask) }));
    }
    assert.fail('it never ends');
  }

  private reply(): Reply {
    const proposal = this.proposals[this.next];
    if (!proposal) return { text: 'Done.' };
    const { kind, at, take, put, fresh, pauseBefore } = proposal;
    const call = (tool: string, args: unknown): Reply => ({
      calls: [{ tool, args, ...(pauseBefore ? { pauseBefore } : {}) }],
    });
    const { path } = this;
    const text = (kind === 'write' && !fresh ? this.read : this.text(path)).replaceAll('\r\n', '\n');
    const lines = linesOf(text).slice(0, -1);
    const from = Math.min(at, lines.length);
    const added = Array.from({ length: put }, () => `g${(this.names += 1)}`);
    switch (kind) {
      case 'read':
        this.read = this.text(path);
        return call('read_file', { path });
      case 'delete':
        return call('delete_file', { path });
      case 'move':
        return call('move_file', { from: path, to: PATHS.find((one) => one !== path) });
      case 'write':
        return call('write_file', { path, content: ended(lines.toSpliced(from, take, ...added)) });
      case 'edit': {
        // With the line before it, so that there is something to match where nothing is taken.
        const first = Math.max(0, from - 1);
        const kept = lines.slice(first, from);
        const old = ended([...kept, ...lines.slice(from, from + take)]);
        return call('edit_file', { path, old_text: old, new_text: ended([...kept, ...added]) });
      }
    }
  }

  private type({ at, take, put, where }: Typing): void {
    const { files, buffers } = this.world;
    const { path } = this;
    const before = this.text(path);
    const there = files.bytes(path) !== undefined;
    const change = (lines: string[]): string[] => {
      const from = Math.min(at, lines.length - 1);
      const added = Array.from({ length: put }, () => `h${(this.names += 1)}`);
      // The empty end after the last line end stays.
      return lines.toSpliced(from, Math.min(take, lines.length - 1 - from), ...added);
    };
    // Unsaved text is gone on with; nobody writes below it.
    const buffer = buffers.get(path)?.dirty === true || where !== 'disk';
    if (there && buffer) {
      buffers.type(path, change);
      if (where === 'saved') buffers.saveByHuman(path);
    } else {
      files.put(path, change(linesOf(before)).join(this.eol));
      buffers.follow();
    }
    const after = linesOf(this.text(path)).filter(isHuman);
    const typed = after.filter((line) => !linesOf(before).includes(line));
    this.written += typed.length;
    for (const line of linesOf(before)) if (!after.includes(line)) this.alive.delete(line);
    // One that they took out, and the agent's text has brought back with their yes, is the agent's.
    for (const line of typed) this.alive.add(line);
  }

  /** The run changes the file: each line of the human that goes has been shown, and they said yes. */
  private judge(before: readonly string[], after: readonly string[]): void {
    const left = new Set(after.flatMap(linesOf));
    const gone = before.flatMap(linesOf).filter((line) => this.alive.has(line) && !left.has(line));
    const { inFlight } = this.state;
    const stepId = inFlight?.kind === 'step' ? inFlight.stepId : undefined;
    for (const line of gone) {
      if (this.state.decisions.some((d) => d.stepId === stepId && this.showed(d, line))) this.approved += 1;
      else this.wrong.push(`${line} was taken away by ${stepId ?? 'nobody'}, and nobody had been asked`);
      this.alive.delete(line);
    }
  }

  private showed(d: Decision, line: string): boolean {
    const shown = linesOf(textOf(d.change?.before ? this.world.store.peek(d.change.before) : undefined));
    if (d.kind === 'conflict') return d.answer?.choice === 'agent' && shown.includes(line);
    const number = shown.indexOf(line) + 1;
    return d.state === 'granted' && (d.humanLines ?? []).some(({ from, to }) => from <= number && number <= to);
  }
}

const ended = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

function answerTo(open: Decision, { grant, unsaved }: Ask): string {
  switch (open.kind) {
    case 'approval':
      return grant ? 'grant' : 'reject';
    case 'conflict':
      return grant ? 'agent' : 'mine';
    case 'unsaved':
      return unsaved;
    default:
      return open.choices[0]?.id ?? '';
  }
}
