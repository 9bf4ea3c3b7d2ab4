/** One run on a simulated world, which stages, workshops and theatres play in ways of their own. */
import assert from 'node:assert/strict';
import type { HoldfastCore } from '../../../../src/core/api';
import type { RunState } from '../../../../src/core/run/state';
import type { SimWorld } from '../../../sim/world';

export class OneRun {
  runId = '';

  constructor(readonly world: SimWorld) {}

  get core(): HoldfastCore {
    assert.ok(this.world.core);
    return this.world.core;
  }

  get state(): RunState {
    const state = this.core.get(this.runId);
    assert.ok(state);
    return state;
  }

  /** Starts the run of an opened world. */
  async start(): Promise<void> {
    const started = await this.world.finish(this.core.startRun({ goal: 'work' }));
    assert.ok('runId' in started);
    this.runId = started.runId;
  }
}
