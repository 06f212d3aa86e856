/** A node's epochs, which the test advances. */
import type { PeerKey } from '@slipstream/ports';
import { type EpochRecord, epoch } from '@slipstream/types';
import type { Epochs } from '../../src/index.ts';

export interface NodeEpochs extends Epochs {
  nextRecord(): EpochRecord;
  move(endedMs: number): void;
}

/** `records`: by epoch. */
export function createNodeEpochs(records: readonly EpochRecord[], peer: PeerKey): NodeEpochs {
  const ended: number[] = [];
  let now = epoch(0);

  return {
    of: (of) => (of <= now ? records[of] : undefined),
    now: () => now,
    self(of) {
      const index = records[of]?.members.findIndex(({ peerKey }) => peerKey === peer) ?? -1;
      return index < 0 ? undefined : index;
    },
    endedMs: (of) => ended[of],
    nextRecord: () => records[now + 1] as EpochRecord,
    move(endedMs) {
      ended[now] = endedMs;
      now = epoch(now + 1);
    },
  };
}
