/** Seals by script: so many blocks after an epoch began, the record of the next one, by default with the same members. Stands in for execution. */
import type { Seal } from '@slipstream/consensus';
import {
  epoch as asEpoch,
  type Block,
  type Epoch,
  type EpochRecord,
  type GenesisHash,
  recordHashOf,
} from '@slipstream/types';

export interface Sealing {
  /** A state certificate of this height agrees with the own digest. */
  agreed(height: number): void;
  /** The final boundary names the record: a node that catches up needs no state certificate for it. */
  moved(boundary: Block): void;
}

export interface SealingOptions {
  readonly everyBlocks: number;
  readonly genesisHash: GenesisHash;
  /** Of the ledger's tip: its epoch, or the next one where it is a boundary, and where that one began. */
  readonly epoch: Epoch;
  readonly rootHeight: number;
  readonly recordOf: (epoch: Epoch) => EpochRecord;
}

export function createSealing(
  { everyBlocks, genesisHash, recordOf, ...start }: SealingOptions,
  onSealed: (seal: Seal) => void,
): Sealing {
  let { epoch, rootHeight } = start;
  let reportedEpoch = -1;
  function report(): void {
    reportedEpoch = epoch;
    const record = recordOf(asEpoch(epoch + 1));
    onSealed({ recordHash: recordHashOf(genesisHash, record), height: rootHeight + everyBlocks, record });
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
