/**
 * Faults put in on purpose, each as a change of the source while it is built: histories that find none of them would prove nothing
 * by finding nothing else. Each `from` stands in its file exactly once; where the source has moved on, the fault is written anew.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const EXECUTE = 'src/core/run/execute.ts';
const INTENT = "  await host.dispatch({ type: 'effectRequested', stepId, changes: plan.changes });\n";
const RIGHT = "  if (flight.givenUp || stepOf(host.state, stepId)?.effect !== 'requested') return false;\n";
const STOPPED = `{
    await host.dispatch({ type: 'stepEnded', end: { stepId, ...STOPPED } });
    return false;
  }
`;
const BEFORE_INTENT = `  await ports.probe.at('tool:beforeWrite', step.n);\n  if (flight.abort.signal.aborted) ${STOPPED}`;
const AFTER_INTENT = `  // The stop may have come while the intent was on its way to disk.\n  if (flight.abort.signal.aborted) ${STOPPED}`;

/** `edits`: file, what stands there, what stands there instead. */
export const faults = [
  {
    name: 'the last look before a write is left out',
    edits: [
      [
        'src/core/tools/filePlan.ts',
        'await files.write(path, bytes, { expect: now.hash });',
        'await files.write(path, bytes, { expect: (await files.hash(path).catch(() => undefined))?.hash ?? null });',
      ],
    ],
  },
  {
    name: 'the end of a step is not synced',
    edits: [
      [
        'src/core/run/durability.ts',
        "event.type === 'stepEnded' ? event.end.effect !== 'notStarted' : !LAZY.has(event.type)",
        "event.type !== 'stepEnded' && !LAZY.has(event.type)",
      ],
    ],
  },
  {
    name: 'the journal is written and not synced',
    edits: [
      ['src/node/store/journalFile.ts', 'if (sync) await bothOf(file.datasync(), this.hooks.contents?.sync());', ''],
    ],
  },
  {
    name: 'a second resume is let through',
    edits: [
      [
        'src/core/run/resume.ts',
        "const fits = event.via === 'resume' ? s.status === 'paused' : s.status === 'humanControl';",
        'const fits = true;',
      ],
      ['src/core/run/resume.ts', "if (s.inFlight?.kind !== 'reconcile') return [];", ''],
    ],
  },
  {
    name: 'a note is delivered twice',
    edits: [
      [
        'src/core/run/flow.ts',
        "(n.state === 'queued' ? { ...n, state: 'delivered', deliveredAfter: after } : n)",
        "(n.state === 'queued' ? { ...n, deliveredAfter: after } : n)",
      ],
    ],
  },
  {
    name: 'an approval counts for whatever is written',
    edits: [
      [
        'src/core/tools/approval.ts',
        'if (last.subject === request.subject) return { granted: true, decision: last };',
        'return { granted: true, decision: last };',
      ],
    ],
  },
  {
    name: 'the stop signal is not looked at between two calls',
    edits: [
      [EXECUTE, "if (signal.aborted) return host.dispatch({ type: 'stepNotStarted', stepId });", ''],
      [EXECUTE, BEFORE_INTENT, ''],
      [EXECUTE, AFTER_INTENT, ''],
    ],
  },
  {
    name: 'a stop is not looked at between intent and effect',
    edits: [[EXECUTE, AFTER_INTENT, '']],
  },
  {
    name: 'the base of a write is not compared with what is there',
    edits: [['src/core/tools/write.ts', 'if (record.base === now.hash)', 'if (record.base !== null)']],
  },
  {
    name: 'nobody is asked about the lines of the human',
    edits: [
      [
        'src/core/tools/ownership.ts',
        "if (lost.length === 0 || ports.settings.humanLines() !== 'ask') return undefined;",
        'if (lost.length >= 0) return undefined;',
      ],
    ],
  },
  {
    name: 'the torn end of a journal is not cut off',
    edits: [
      [
        'src/node/store/journalFile.ts',
        'const end = beyond === -1 ? parsed.goodBytes : (parsed.starts[beyond] ?? 0);',
        'const end = (await this.fs.lstat(file).catch(() => ({ size: 0 }))).size;',
      ],
    ],
  },
  {
    name: 'the intent comes after the effect',
    edits: [
      [EXECUTE, INTENT, ''],
      [EXECUTE, RIGHT, ''],
      [EXECUTE, '    result = await plan.perform();\n', `    result = await plan.perform();\n${INTENT}`],
    ],
  },
  {
    name: 'what a report told is not learned: it is told again',
    edits: [['src/core/run/resume.ts', '  learn(s, event);\n', '']],
  },
  {
    name: 'a restore touches files before it is on disk',
    edits: [
      [
        'src/core/run/durability.ts',
        ': !LAZY.has(event.type)',
        ": !LAZY.has(event.type) && event.type !== 'restoreRequested'",
      ],
    ],
  },
  {
    name: 'a restore goes over what the human changed since',
    edits: [
      [
        'src/core/checkpoints/plan.ts',
        'if (now.hash === last.after && !hasGap(touches)) {',
        'if (last.after !== null) {',
      ],
    ],
  },
  {
    name: 'a restore that was cut off is taken for done',
    edits: [
      [
        'src/core/checkpoints/settle.ts',
        'if (readable && hash === file.after) return { ...file, done: true };',
        'if (readable) return { ...file, done: true };',
      ],
    ],
  },
  {
    name: 'a crash leaves the step in flight as it was',
    edits: [['src/core/run/settle.ts', "if (step.effect !== 'requested') {", 'if (step.n > 0) {']],
  },
];

/** A plugin of esbuild that puts a fault in. */
export function withFault({ name, edits }, root) {
  const files = new Set(edits.map(([file]) => path.join(root, file)));
  return {
    name: 'fault-on-purpose',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
        if (!files.has(file)) return undefined;
        let contents = await readFile(file, 'utf8');
        for (const [of, from, to] of edits) {
          if (path.join(root, of) !== file) continue;
          const parts = contents.split(from);
          if (parts.length !== 2) throw new Error(`"${name}" does not fit ${of} any more: ${JSON.stringify(from)}`);
          contents = parts.join(to);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
}
