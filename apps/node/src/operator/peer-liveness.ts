/** Every member counts as live when consensus starts, since none could send a message yet. Readiness ignores this grace. */
import type { CoreStatus } from '@slipstream/consensus';
import type { Clock } from '@slipstream/ports';
import { isQuorum, weightOf } from '@slipstream/types';
import type { NodeEpochs } from '../epochs/node-epochs.ts';

interface PeerLivenessComponents {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly consensus: { status(): Pick<CoreStatus, 'lastMessageMs' | 'highestReportedHeight'> };
}

export interface PeerLiveness {
  offline(): readonly number[];
  /** Live members and this node, over the total weight; `without` leaves members out. */
  reachableWeightShare(without?: readonly number[]): number;
  /** A quorum sent messages since the start and recently, and a height was reported; or this node is a quorum alone. */
  knowsChain(): boolean;
}

const OFFLINE_AFTER_MS = 5000;

/** Create before consensus starts: last-message times at this moment are the grace, and those at the begin of an epoch. */
export function createPeerLiveness(
  { clock, consensus }: PeerLivenessComponents,
  epochs: Pick<NodeEpochs, 'committee' | 'self'>,
): PeerLiveness {
  let counted = epochs.committee();
  let graceMs = [...consensus.status().lastMessageMs];

  function now() {
    const committee = epochs.committee();
    if (committee !== counted) {
      counted = committee;
      graceMs = [...consensus.status().lastMessageMs];
    }
    return { committee, self: epochs.self() };
  }

  function offline(): readonly number[] {
    const { committee, self } = now();
    const { lastMessageMs } = consensus.status();
    const sinceMs = clock.monotonicMs() - OFFLINE_AFTER_MS;
    const isOffline = (index: number) => index !== self && (lastMessageMs[index] ?? 0) <= sinceMs;
    return committee.members.flatMap(({ index }) => (isOffline(index) ? [index] : []));
  }

  function knowsChain(): boolean {
    const { committee, self } = now();
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
      const { committee } = now();
      const left = new Set([...offline(), ...without]);
      return (committee.totalWeight - weightOf(left, committee)) / committee.totalWeight;
    },
    knowsChain,
  };
}
