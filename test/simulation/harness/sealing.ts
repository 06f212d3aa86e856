/** Seals by script: so many blocks after an epoch began, the record of the next one, by default with the same members. Stands in for execution. */
import type { Seal } from '@slipstream/consensus';
import { concatBytes, sha256, uint32le, utf8 } from '@slipstream/primitives';
import { epoch as asEpoch, asId, type Block, type Committee, type Epoch, type RecordHash } from '@slipstream/types';

export interface Sealing {
  /** A state certificate of this height agrees with the own digest. */
  agreed(height: number): void;
  /** The final boundary names the record: a node that catches up needs no state certificate for it. */
  moved(boundary: Block): void;
}

export interface SealingOptions {
  readonly everyBlocks: number;
  readonly first: Committee;
  readonly committeeOf: (epoch: Epoch) => Committee;
}

export function createSealing(
  { everyBlocks, first, committeeOf }: SealingOptions,
  onSealed: (seal: Seal) => void,
): Sealing {
  let { epoch } = first;
  let rootHeight = 0;
  let reportedEpoch = -1;
  function report(): void {
    reportedEpoch = epoch;
    const next = asEpoch(epoch + 1);
    const height = rootHeight + everyBlocks;
    onSealed({ recordHash: recordOf(next), height, committee: committeeOf(next) });
  }

  return {
    agreed(certified) {
      if (reportedEpoch < epoch && certified >= rootHeight + everyBlocks) report();
    },
    moved(boundary) {
      if (reportedEpoch < epoch) report();
      epoch = asEpoch(epoch + 1);
      rootHeight = boundary.height;
    },
  };
}

function recordOf(epoch: Epoch): RecordHash {
  return asId<RecordHash>(sha256(concatBytes(utf8('record'), uint32le(epoch))));
}
