/** Calls of the examples: rules as in pipeline.ts, and what holds of each application after each block. */
import { escrowCalls } from '../harness/calls/escrow.ts';
import { ordersCalls } from '../harness/calls/orders.ts';
import type { SimulatedCalls } from '../harness/calls/simulated-calls.ts';
import { tokenCalls } from '../harness/calls/token.ts';
import type { Scenario } from '../scenario.ts';
import { playCrashes } from './pipeline.ts';

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
