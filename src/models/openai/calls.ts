/** One piece of a streamed tool call, as servers send it; any part may be missing. */
export interface CallDelta {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | null } | null;
}

interface Growing {
  index: number | undefined;
  id: string | undefined;
  name: string;
  args: string;
  /** Its name came again after its arguments were complete: should more text come, that is another call. */
  repeated: boolean;
}

/**
 * Puts streamed tool calls together. The library's own tracker merges calls where a server gives all of them the same index,
 * and drops what it cannot place; a lost or merged call would run something the model never asked for.
 *
 * Servers differ: pieces without an id, without an index, all calls with index 0, the same id for several calls, name and id
 * repeated on every piece, a new id on every piece. What starts a call is a *name*; whether it starts a new one is decided
 * by what tells it from the call that the piece would belong to.
 */
export class CallCollector {
  private readonly calls: Growing[] = [];

  add(delta: CallDelta): void {
    const id = text(delta.id);
    const name = text(delta.function?.name);
    const args = delta.function?.arguments ?? '';
    const index = delta.index ?? undefined;
    const owner = this.ownerOf(index, id);

    if (!owner || (name !== undefined && this.startsAnother(owner, index, id, name, args))) {
      this.calls.push({ index, id, name: name ?? '', args, repeated: false });
      return;
    }
    if (owner.repeated && name === undefined && args.trim() !== '') {
      this.calls.push({ index, id: id ?? owner.id, name: owner.name, args, repeated: false });
      owner.repeated = false;
      return;
    }
    if (name !== undefined && owner.name === '') owner.name = name;
    else if (name !== undefined && isObjectJson(owner.args)) owner.repeated = true;
    owner.id ??= id;
    owner.args += args;
  }

  get size(): number {
    return this.calls.length;
  }

  /** In the order in which they began. Blank arguments are `{}`: that is how calls without any are sent. */
  finish(): { name: string; argsText: string }[] {
    return this.calls.map((call) => ({ name: call.name, argsText: call.args.trim() === '' ? '{}' : call.args }));
  }

  /** The newest call the piece may belong to: the same id, else the same index; with neither, the last one. */
  private ownerOf(index: number | undefined, id: string | undefined): Growing | undefined {
    const last = (fits: (call: Growing) => boolean): Growing | undefined => this.calls.findLast(fits);
    if (id !== undefined) {
      const same = last((call) => call.id === id && (index === undefined || call.index === index));
      if (same) return same;
    }
    if (index !== undefined) return last((call) => call.index === index);
    return last(() => true);
  }

  private startsAnother(
    owner: Growing,
    index: number | undefined,
    id: string | undefined,
    name: string,
    args: string,
  ): boolean {
    if (owner.name === '') return id !== undefined && owner.id !== undefined && id !== owner.id;
    if (name !== owner.name) return true;
    if (id !== undefined && owner.id !== undefined && id !== owner.id) return true;
    if (index === undefined && id === undefined) return true;
    return args.trim() !== '' && isObjectJson(owner.args);
  }
}

function text(value: string | null | undefined): string | undefined {
  return value == null || value.trim() === '' ? undefined : value;
}

function isObjectJson(args: string): boolean {
  // Cheap look first: this runs on every piece of servers that repeat the name.
  if (!args.trimEnd().endsWith('}')) return false;
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
