/**
 * The distilled batches of a block, after its ordinary transactions: chunk by chunk, each in its chunk's order.
 *
 * For state writes all are one transaction: an account is read at its first row and written after the last one.
 */
import {
  type BatchRecord,
  type BlockBatch,
  batchesRootOf,
  executeBatches,
  rowFeesAt,
  unitsOfRows,
} from '@slipstream/distilled';
import { asId, NO_UNITS, type SkipReason, type TransactionId, type Units } from '@slipstream/types';
import type { BlockOverlay } from '../overlay.ts';
import { createRowAccounts, type RowDirectory } from './row-accounts.ts';

interface RanBatches {
  readonly ran: readonly BatchRecord[];
  readonly skipped: readonly { readonly id: TransactionId; readonly reason: SkipReason }[];
  /** By position of the chunk. */
  readonly earned: readonly { readonly chunk: number; readonly fee: bigint }[];
  readonly batchesRoot: Uint8Array;
  /** Of rows that were charged. */
  readonly units: Units;
  readonly charged: number;
}

interface BatchesBlock {
  readonly height: number;
  readonly timestampMs: number;
  readonly chunks: readonly { readonly batches?: Iterable<BlockBatch> | undefined }[];
  readonly directory: RowDirectory;
  readonly seen: (id: TransactionId) => boolean;
}

const NOTHING_RAN: RanBatches = {
  ran: [],
  skipped: [],
  earned: [],
  units: NO_UNITS,
  charged: 0,
  batchesRoot: batchesRootOf([]),
};

interface PlacedBatch extends BlockBatch {
  /** Position of its chunk. */
  readonly chunk: number;
}

export function runBatches(block: BatchesBlock, overlay: BlockOverlay, prices: readonly bigint[]): RanBatches {
  const batches = batchesOf(block);
  if (batches.length === 0) return NOTHING_RAN;
  const { accounts, placed, writeBack } = createRowAccounts(overlay, block.directory);
  const { height, timestampMs, seen } = block;
  const { ran, skipped, batchesRoot } = executeBatches(accounts, batches, {
    height,
    timestampMs,
    fees: rowFeesAt(prices),
    placed,
    ran: (batchId) => seen(asId<TransactionId>(batchId)),
  });
  writeBack();
  let [charged, stragglers] = [0, 0];
  for (const each of ran) {
    charged += each.charged;
    stragglers += each.chargedStragglers;
  }
  const at = (place: number): PlacedBatch => batches[place] as PlacedBatch;
  return {
    batchesRoot,
    units: unitsOfRows(charged, stragglers),
    charged,
    ran: ran.map(({ place, leaf, outcomes }) => ({ batchId: at(place).batchId, leaf, outcomes })),
    skipped: skipped.map(({ place, reason }) => ({ id: asId<TransactionId>(at(place).batchId), reason })),
    earned: ran.map(({ place, earned: fee }) => ({ chunk: at(place).chunk, fee })),
  };
}

function batchesOf({ chunks }: BatchesBlock): readonly PlacedBatch[] {
  const batches: PlacedBatch[] = [];
  for (let chunk = 0; chunk < chunks.length; chunk++) {
    const own = chunks[chunk]?.batches;
    if (own === undefined) continue;
    for (const batch of own) batches.push({ ...batch, chunk });
  }
  return batches;
}
