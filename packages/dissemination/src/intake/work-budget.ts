/**
 * Work budget: cost units (cost-units.ts) that a peer or address may spend on unaccepted transactions.
 *
 * Known, expired or uncovered transactions are no offence but cost the main thread microseconds each. Unbounded, a Byzantine validator
 * that repeats them takes a whole thread.
 */
import { createRateLimiter, type MonotonicClock, type Rate } from '@slipstream/primitives';

interface WorkBudget {
  /** Remaining cost units. At 0 nothing is decoded. */
  left(source: string): number;
  charge(source: string, units: number): void;
}

/** A late full node resends 2,000 every two seconds, perhaps all known and of several actions each. New keys get little: they are free. */
export const PEER_WORK: Rate = { perSecond: 4_000, burst: 8_000, initial: 512 };
/** A validator relays what many full nodes resend. It packs refused ones itself later (forwarder.ts). */
export const VALIDATOR_WORK: Rate = { perSecond: 10_000, burst: 40_000 };
/** For a client that offers several times a chain's rate; 60 ms per second. */
export const CLIENT_WORK: Rate = { perSecond: 10_000, burst: 20_000 };

const SOURCES_MAX = 4_096;
/** All checks under way, with a credential each: a source waits two minutes at most. */
const DEBT_MAX = 500_000;

export function createWorkBudget(clock: MonotonicClock, rate: Rate | ((source: string) => Rate)): WorkBudget {
  const limiter = createRateLimiter<string>(clock, { rate, keysMax: SOURCES_MAX, debtMax: DEBT_MAX });
  return {
    left: (source) => Math.max(0, Math.floor(limiter.left(source))),
    charge: limiter.charge,
  };
}
