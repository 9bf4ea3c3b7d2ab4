/** One seed is one history: what an agent, a human and the world do, in an order that nobody would choose. */
import { Random } from '../random';
import type { Act, AgentCall, HumanDeed } from './acts';

export interface HistoryOptions {
  approvals: 'ask' | 'edits' | 'auto';
  pauseCommands: 'freeze' | 'finish' | 'end';
  unsavedOnResume: 'ask' | 'save' | 'keep';
  /** Which files are read first: bits. */
  reads: number;
  /** Lines of each file at the start. */
  lines: number;
  /** The store as it is shipped, on a simulated disk that loses, tears and reorders what was not synced. */
  disk: boolean;
  /** There is a server of tools. */
  servers?: boolean;
  /** The workspace is remembered as a whole: what commands and others did to it is found. */
  tree?: boolean;
}

export interface History {
  seed: number;
  options: HistoryOptions;
  acts: Act[];
}

type Weighted<T> = readonly (readonly [number, T])[];

const CALLS: Weighted<AgentCall['do']> = [
  [6, 'read'],
  [7, 'edit'],
  [5, 'write'],
  [1, 'delete'],
  [1, 'move'],
  [3, 'command'],
  [1, 'ask'],
  [1, 'search'],
  [0.3, 'outside'],
];
const DEEDS: Weighted<HumanDeed> = [
  [4, 'addLine'],
  [2, 'deleteLine'],
  [4, 'typeLine'],
  [2, 'typeDelete'],
  [3, 'save'],
  [1, 'revert'],
  [1, 'rename'],
  [1, 'delete'],
  [1, 'create'],
  [0.5, 'switchBranch'],
];
const ACTS: Weighted<Act['act']> = [
  [8, 'agent'],
  [7, 'human'],
  [14, 'go'],
  [2, 'wait'],
  [4, 'pause'],
  [2, 'takeOver'],
  [0.6, 'abort'],
  [0.6, 'forceStop'],
  [5, 'resume'],
  [0.7, 'resumeTwice'],
  [3, 'crash'],
  [0.4, 'killCommand'],
  [2, 'steer'],
  [0.3, 'withdraw'],
  [0.3, 'protect'],
  [5, 'decide'],
  [0.5, 'full'],
  [0.5, 'space'],
  [0.3, 'refuse'],
  [0.3, 'clockBack'],
  [1.2, 'restore'],
  [0.6, 'undoRestore'],
  [0.5, 'fork'],
  [0.6, 'undoStep'],
];

export function historyOf(seed: number): History {
  const random = new Random(seed);
  const options: HistoryOptions = {
    approvals: random.pick(['auto', 'auto', 'ask', 'edits'] as const) ?? 'auto',
    pauseCommands: random.pick(['freeze', 'freeze', 'end', 'finish'] as const) ?? 'freeze',
    unsavedOnResume: random.pick(['ask', 'ask', 'ask', 'save', 'keep'] as const) ?? 'ask',
    reads: 1 + random.below(7),
    lines: 2 + random.below(4),
    disk: random.below(24) === 0,
    servers: random.below(5) === 0,
    tree: random.below(3) === 0,
  };
  // Mostly short: what takes many acts to happen is seldom, and the others are then tried the more often.
  const length = random.below(12) === 0 ? 25 + random.below(25) : 5 + random.below(11);
  const acts: Act[] = [];
  while (acts.length < length) {
    const act = anAct(random);
    if (options.servers && act.act === 'agent') act.calls = act.calls.map((call) => elsewhere(call, random));
    acts.push(act);
    // Where both are at work on the same file at the same time, most can go wrong.
    const [call] = act.act === 'agent' ? act.calls : [];
    if (!call || random.below(2) === 0) continue;
    acts.push({ act: 'go', turns: 4 + random.below(24) });
    acts.push({ act: 'human', deed: pick(random, DEEDS), file: call.file, a: random.below(13) });
  }
  if (random.below(7) === 0) acts.splice(2 + random.below(acts.length - 1), 0, ...goingBack(random));
  if (random.below(7) === 0) acts.push({ act: 'finish' }, ...goingBack(random));
  return { seed, options, acts };
}

/** Where the run stands still: files go back and forth, steps are undone, and all of it may be cut off. */
function goingBack(random: Random): Act[] {
  const acts: Act[] = [{ act: 'pause' }, { act: 'wait', ms: 400 }];
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    acts.push(anAct(random, BACK));
    if (random.below(3) > 0) acts.push({ act: 'go', turns: 1 + random.below(20) });
    if (random.below(5) === 0) acts.push({ act: 'crash' });
    if (random.below(4) === 0) acts.push(anAct(random, [[1, 'human']]));
    if (random.below(3) === 0) acts.push({ act: 'wait', ms: 400 });
  }
  return acts;
}

const BACK: Weighted<Act['act']> = [
  [5, 'restore'],
  [3, 'undoRestore'],
  [2, 'undoStep'],
  [0.5, 'fork'],
];

/** On a server, where there is one. */
function elsewhere(call: AgentCall, random: Random): AgentCall {
  return random.below(3) === 0 ? { ...call, do: 'remote' } : call;
}

function anAct(random: Random, from = ACTS): Act {
  const act = pick(random, from);
  switch (act) {
    case 'agent':
      return { act, calls: Array.from({ length: 1 + random.below(3) }, () => aCall(random)) };
    case 'human':
      return { act, deed: pick(random, DEEDS), file: aFile(random), a: random.below(13) };
    case 'go':
      return { act, turns: random.below(3) === 0 ? 1 + random.below(60) : 1 + random.below(16) };
    case 'wait':
      return { act, ms: random.pick([0, 400, 6000]) ?? 0 };
    case 'clockBack':
      return { act, ms: random.pick([1, 5000, 90_000_000]) ?? 1 };
    case 'steer':
      return { act, now: random.next() < 0.5 };
    case 'protect':
      return { act, file: aFile(random) };
    case 'decide':
      return { act, which: random.below(4), choice: random.below(13) };
    case 'restore':
      return { act, checkpoint: random.below(8), picks: random.below(4) === 0 };
    case 'fork':
      return { act, checkpoint: random.below(8) };
    case 'full':
      return { act, op: pick(random, FULL), times: random.below(3) === 0 ? 100 : 1 + random.below(2) };
    case 'refuse':
      return { act, op: random.pick(['read', 'write', 'remove'] as const) ?? 'read', file: aFile(random) };
    default:
      return { act };
  }
}

const FULL: Weighted<'append' | 'snapshot' | 'blob' | 'index'> = [
  [4, 'append'],
  [1, 'snapshot'],
  [2, 'blob'],
  [1, 'index'],
];

const aCall = (random: Random): AgentCall => ({
  do: pick(random, CALLS),
  file: aFile(random),
  a: random.below(13),
  b: random.below(13),
});

/** Mostly the files there are, sometimes where they may get to; the first more than the others, so that they meet. */
const aFile = (random: Random): number => (random.below(7) === 0 ? random.below(5) : random.below(1 + random.below(3)));

function pick<T>(random: Random, from: Weighted<T>): T {
  let left = random.next() * from.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, one] of from) if ((left -= weight) < 0) return one;
  return (from[0] as readonly [number, T])[1];
}
