/**
 * Peer liveness: which committee members are offline, and whether this node can know how far the chain is.
 *
 * Every member counts as live when consensus starts, so that none is reported offline before it could send a message. Readiness
 * ignores this grace: it counts only messages received since the start.
 */
import type { CoreStatus } from '@slipstream/consensus';
import type { Clock } from '@slipstream/ports';
import { type Committee, isQuorum, weightOf } from '@slipstream/types';

interface PeerLivenessComponents {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly consensus: { status(): Pick<CoreStatus, 'lastMessageMs' | 'highestReportedHeight'> };
}

export interface PeerLiveness {
  /** Indices of members without a message for OFFLINE_AFTER_MS. */
  offline(): readonly number[];
  /** Weight of the live members, this node included, over the total weight; `without` leaves members out. */
  reachableWeightShare(without?: readonly number[]): number;
  /** True when a quorum sent messages since the start and recently, and a height was reported; or when this node is a quorum alone. */
  knowsChain(): boolean;
}

/** A member without a message for this long is offline. */
const OFFLINE_AFTER_MS = 5000;

/** Create it before consensus starts: the times of last messages at this moment are the grace. `self`: this validator's index. */
export function createPeerLiveness(
  { clock, consensus }: PeerLivenessComponents,
  { committee, self }: { readonly committee: Committee; readonly self: number | undefined },
): PeerLiveness {
  const graceMs = [...consensus.status().lastMessageMs];

  function offline(): readonly number[] {
    const { lastMessageMs } = consensus.status();
    const sinceMs = clock.monotonicMs() - OFFLINE_AFTER_MS;
    const isOffline = (index: number) => index !== self && (lastMessageMs[index] ?? 0) <= sinceMs;
    return committee.members.flatMap(({ index }) => (isOffline(index) ? [index] : []));
  }

  function knowsChain(): boolean {
    const { lastMessageMs, highestReportedHeight } = consensus.status();
    const own = self === undefined ? [] : [self];
    if (isQuorum(weightOf(own, committee), committee)) return true;
    const gone = new Set(offline());
    const isLive = (index: number) => index === self || (!gone.has(index) && lastMessageMs[index] !== graceMs[index]);
    const live = committee.members.flatMap(({ index }) => (isLive(index) ? [index] : []));
    return highestReportedHeight > 0 && isQuorum(weightOf(live, committee), committee);
  }

  return {
    offline,
    reachableWeightShare(without = []) {
      const left = new Set([...offline(), ...without]);
      return (committee.totalWeight - weightOf(left, committee)) / committee.totalWeight;
    },
    knowsChain,
  };
}
