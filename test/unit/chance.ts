/** What random tests are played with; each tells its seed. */

/** `HOLDFAST_SEED`: the same once more. */
export const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 2 ** 31);
/** `HOLDFAST_LONG`: minutes instead of seconds. */
export const LONG = process.env['HOLDFAST_LONG'] !== undefined;
/** How many: `HOLDFAST_RUNS`, or the usual. */
export const runs = (usual = 1000): number => Number(process.env['HOLDFAST_RUNS'] ?? usual);
