/** Random sessions: what an agent, a human and the world may do, in any order. */
import fc from 'fast-check';
import type { Act, AgentCall, HumanDeed } from '../../sim/play/acts';

const small = fc.nat({ max: 12 });
/** Mostly the three files there are, sometimes where they may get to. */
const file = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 2 }) }, { weight: 1, arbitrary: fc.nat({ max: 4 }) });
const calls: fc.Arbitrary<AgentCall> = fc.record({
  do: fc.constantFrom<AgentCall['do'][]>(
    'read',
    'read',
    'read',
    'edit',
    'edit',
    'edit',
    'write',
    'write',
    'delete',
    'move',
    'command',
    'ask',
    'search',
  ),
  file,
  a: small,
  b: small,
});
const deeds = fc.constantFrom<HumanDeed[]>(
  ...([
    'addLine',
    'addLine',
    'deleteLine',
    'typeLine',
    'typeLine',
    'typeDelete',
    'save',
    'save',
    'revert',
    'rename',
    'delete',
    'create',
  ] as const),
);
export const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('agent' as const),
      calls: fc.array(calls, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('human' as const), deed: deeds, file, a: small }) },
  { weight: 12, arbitrary: fc.record({ act: fc.constant('go' as const), turns: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('wait' as const), ms: fc.constantFrom(0, 400, 6000) }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constantFrom('pause' as const, 'pause' as const, 'takeOver' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('abort' as const, 'forceStop' as const) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('crash' as const) }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constant('resume' as const) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('steer' as const), now: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constant('decide' as const), which: small, choice: small }) },
);

/** The seed decides, too, who gets the next turn in the simulated world. */
export const options = fc.record({
  seed: fc.nat(),
  approvals: fc.constantFrom('auto' as const, 'auto' as const, 'ask' as const, 'edits' as const),
  pauseCommands: fc.constantFrom('freeze' as const, 'freeze' as const, 'end' as const, 'finish' as const),
});

export const sequences = fc.array(acts, { minLength: 20, maxLength: 60, size: 'max' });
