/** Named points of a run at which a test can hold it. A no-op in production. */
export type ProbePoint =
  | 'model:streaming'
  | 'tool:beforeStart'
  | 'tool:beforeWrite'
  | 'tool:afterEffect'
  | 'checkpoint:beforeWrite'
  | 'checkpoint:midWrite'
  | 'reconcile:beforeApply';

export interface Probe {
  /** Settles at once unless a test holds this point. `step`: number of the step concerned, 0 where there is none. */
  at(point: ProbePoint, step: number): Promise<void>;
}

export const noProbe: Probe = { at: () => Promise.resolve() };
