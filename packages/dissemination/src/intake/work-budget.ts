/**
 * Work budget: how many cost units (cost-units.ts) a peer or an address may spend on transactions that are not accepted.
 *
 * Transactions that are known, expired or not covered are no offence, but each costs the main thread some microseconds. Without a bound
 * a Byzantine validator that sends the same ones again takes a whole thread.
 */
import { createRateLimiter, type MonotonicClock, type Rate } from '@slipstream/primitives';

interface WorkBudget {
  /** Cost units that may still be wasted. At 0 nothing is decoded. */
  left(source: string): number;
  /** So many cost units brought nothing. */
  charge(source: string, units: number): void;
}

/**
 * A full node that follows late sends again 2,000 every two seconds, which may all be known here, and be of several actions each. A new
 * key has little, since keys cost nothing.
 */
export const PEER_WORK: Rate = { perSecond: 4_000, burst: 8_000, initial: 512 };
/** A validator passes on what many full nodes send again. What is not taken from it, it packs itself a little later (forwarder.ts). */
export const VALIDATOR_WORK: Rate = { perSecond: 10_000, burst: 40_000 };
/** What is refused of a client that offers several times what a chain carries; 60 ms per second. */
export const CLIENT_WORK: Rate = { perSecond: 10_000, burst: 20_000 };

const SOURCES_MAX = 4_096;
/** Every check that may be under way, with a credential in each: a source waits two minutes at most. */
const DEBT_MAX = 500_000;

export function createWorkBudget(clock: MonotonicClock, rate: Rate | ((source: string) => Rate)): WorkBudget {
  const limiter = createRateLimiter<string>(clock, { rate, keysMax: SOURCES_MAX, debtMax: DEBT_MAX });
  return {
    left: (source) => Math.max(0, Math.floor(limiter.left(source))),
    charge: limiter.charge,
  };
}
