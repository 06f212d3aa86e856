/** Calls of the examples: rules as in pipeline.ts, and what holds of each application after each block. */
import { assert } from '@slipstream/primitives';
import { besideCalls } from '../harness/calls/beside.ts';
import { noPlayedCalls } from '../harness/calls/chance-workers.ts';
import { escrowCalls } from '../harness/calls/escrow.ts';
import { ordersCalls } from '../harness/calls/orders.ts';
import type { SimulatedCalls } from '../harness/calls/simulated-calls.ts';
import { tokenCalls } from '../harness/calls/token.ts';
import type { Scenario } from '../scenario.ts';
import { playCrashes, playRivals } from './pipeline.ts';

function callsOf(name: string, about: string, callsOnChain: () => Promise<SimulatedCalls>): Scenario {
  return {
    name,
    about: `${about} In realms of each process, amid power cuts: the same states, as by a node that executes the final chain.`,
    play: async (stage) => playCrashes(stage, { rounds: 3, calls: await callsOnChain() }),
  };
}

export const applicationCalls = callsOf(
  'application-calls',
  'Calls of the token: after each block its supply is as before.',
  tokenCalls,
);

export const escrowScenario = callsOf(
  'application-calls-escrow',
  'Deals of the escrow opened and closed: after each block their purses have what the open ones say, and no coin is made or lost.',
  escrowCalls,
);

export const ordersScenario = callsOf(
  'application-calls-orders',
  'Orders placed, traded and cancelled: after each block the book is sorted and not crossed, and its purse has what the bids cost.',
  ordersCalls,
);

/** Each member but the first, which runs all in order. */
const WORKERS_MAX = 3;
const PLAYS_MAX = 3;

export const parallelScenario: Scenario = {
  name: 'application-calls-parallel',
  about:
    'Calls of heavy actions that workers run beside the executor, with results late, lost with a worker, or stale, amid power cuts or rival blocks: states as by a node that executes in order.',
  async play(stage) {
    const played = noPlayedCalls();
    const calls = await besideCalls();
    const counts = Array.from({ length: stage.size }, (_, member) => (member === 0 ? 0 : 1 + (member % WORKERS_MAX)));
    const workersOf = (member: number) => {
      const count = counts[member] ?? 0;
      return count === 0 ? undefined : { count, played };
    };
    // One play of a few blocks may have no stale result.
    for (let plays = 0; plays < PLAYS_MAX && played.stale === 0; plays++) {
      if (stage.seed % 2 === 0) await playRivals(stage, { calls, workersOf });
      else await playCrashes(stage, { rounds: 3, calls, workersOf });
    }
    const { taken, stale } = played;
    assert(taken > 0 && stale > 0, `results are taken, and some are stale (${JSON.stringify(played)})`);
  },
};
