/** A developer at work beside the agent. Each line they write is new, so that it can be found again. */
import type { SimWorld } from '../world';
import { at, type HumanDeed, lineName, PLACES } from './acts';

export class Human {
  /** What they deleted, and what has not been there since. */
  readonly deleted = new Set<string>();
  private written = 0;
  /** What the branch that is not checked out holds. */
  private otherBranch = new Map<string, Uint8Array>();

  constructor(private readonly world: SimWorld) {
    world.git = { branch: 'main', head: 'a'.repeat(40), operation: null };
  }

  line(): string {
    return lineName('human', (this.written += 1));
  }

  do(deed: HumanDeed, file: number, a: number): void {
    const { files, buffers } = this.world;
    const path = at(PLACES, file) ?? PLACES[0];
    const insert = (lines: string[]): string[] => lines.toSpliced(a % (lines.length + 1), 0, this.line());
    const drop = (lines: string[]): string[] => (lines.length === 0 ? lines : lines.toSpliced(a % lines.length, 1));
    switch (deed) {
      case 'addLine':
        return this.onDisk(path, insert);
      case 'deleteLine':
        return this.onDisk(path, drop);
      case 'typeLine':
        buffers.type(path, insert);
        return;
      case 'typeDelete':
        buffers.type(path, drop);
        return;
      case 'save':
        return buffers.saveByHuman(path);
      case 'revert':
        buffers.closeDocument(path);
        return;
      case 'rename': {
        const to = at(PLACES, a) ?? path;
        if (files.bytes(to)) return;
        files.rename(path, to);
        buffers.closeDocument(path);
        return;
      }
      case 'delete':
        if (files.bytes(path)) this.deleted.add(path);
        files.delete(path);
        buffers.closeDocument(path);
        return;
      case 'create':
        if (!files.bytes(path)) files.put(path, `${this.line()}\n${this.line()}\n`);
        return;
      case 'switchBranch':
        return this.switchBranch();
    }
  }

  /** All is committed and the other branch checked out; the first time it is made from this one. */
  private switchBranch(): void {
    const { files, buffers, git } = this.world;
    const here = new Map<string, Uint8Array>();
    for (const path of PLACES) {
      const bytes = files.bytes(path);
      if (bytes) here.set(path, bytes);
    }
    const there = new Map(this.otherBranch.size > 0 ? this.otherBranch : here);
    this.otherBranch = here;
    for (const path of PLACES) {
      const bytes = there.get(path);
      if (bytes) files.put(path, bytes);
      else files.delete(path);
    }
    const branch = git?.branch === 'main' ? 'other' : 'main';
    this.world.git = { branch, head: (branch === 'main' ? 'a' : 'b').repeat(40), operation: null };
    buffers.follow();
  }

  /** With another program: what is open and clean follows, what is dirty does not. */
  private onDisk(path: string, change: (lines: string[]) => string[]): void {
    const { files, buffers } = this.world;
    const text = files.text(path);
    if (text === undefined) return;
    const lines = text.split('\n');
    const open = lines.at(-1) !== '' ? lines : lines.slice(0, -1);
    files.put(
      path,
      change(open)
        .map((line) => `${line}\n`)
        .join(''),
    );
    buffers.follow();
  }
}
