/**
 * Hearing: which members were heard lately, and whether this node knows by that how far the chain is.
 *
 * When consensus begins it counts everybody as heard just now, so that no member is called silent before it could speak. Readiness
 * takes no such advance: a node that has just started has heard nobody, and counts only what was said since.
 */
import type { CoreStatus } from '@slipstream/consensus';
import type { Clock } from '@slipstream/ports';
import { type Committee, isQuorum, weightOf } from '@slipstream/types';

export interface HearingComponents {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly consensus: { status(): Pick<CoreStatus, 'lastHeardMs' | 'highestToldHeight'> };
}

export interface Hearing {
  /** Members that were silent for a while. */
  silent(): readonly number[];
  /** Weight of all others, of the whole. */
  heardShare(): number;
  /** A quorum was heard since start and lately, and somebody told a height; a validator that is a quorum by itself knows alone. */
  knowsChain(): boolean;
}

/** A member that was silent for this long counts as away. */
const HEARD_MS = 5000;

/** To be made before consensus starts: what it says now is its advance. `self`: this validator's index. */
export function createHearing(
  { clock, consensus }: HearingComponents,
  { committee, self }: { readonly committee: Committee; readonly self: number | undefined },
): Hearing {
  const advanceMs = [...consensus.status().lastHeardMs];

  function silent(): readonly number[] {
    const { lastHeardMs } = consensus.status();
    const sinceMs = clock.monotonicMs() - HEARD_MS;
    const isSilent = (index: number) => index !== self && (lastHeardMs[index] ?? 0) <= sinceMs;
    return committee.members.flatMap(({ index }) => (isSilent(index) ? [index] : []));
  }

  function knowsChain(): boolean {
    const { lastHeardMs, highestToldHeight } = consensus.status();
    const own = self === undefined ? [] : [self];
    if (isQuorum(weightOf(own, committee), committee)) return true;
    const away = new Set(silent());
    const isHeard = (index: number) => index === self || (!away.has(index) && lastHeardMs[index] !== advanceMs[index]);
    const heard = committee.members.flatMap(({ index }) => (isHeard(index) ? [index] : []));
    return highestToldHeight > 0 && isQuorum(weightOf(heard, committee), committee);
  }

  return {
    silent,
    heardShare: () => (committee.totalWeight - weightOf(silent(), committee)) / committee.totalWeight,
    knowsChain,
  };
}
