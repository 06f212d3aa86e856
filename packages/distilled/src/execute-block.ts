/** All batches of a block, in order: leaves for the digest, what producers earn, and what had no effect. */
import { toHex } from '@slipstream/primitives';
import type { SkipReason } from '@slipstream/types';
import type { Accounts } from './accounts.ts';
import type { Batch } from './batch.ts';
import { type BatchLeaf, batchesRootOf } from './batch-leaf.ts';
import { type ExecutedBatch, executeBatch } from './execute.ts';
import { outcomesRootOf } from './outcomes.ts';
import type { RowFees } from './row-fees.ts';
import type { RowColumns } from './rows.ts';
import { batchSkipReason } from './skip.ts';

export interface BlockBatch {
  readonly batch: Batch;
  /** batchIdOf its header. */
  readonly batchId: Uint8Array;
  /** Z1 to Z6; false, too, where it could not be judged (Z7). */
  readonly isValid: boolean;
}

interface BlockTerms {
  readonly height: number;
  readonly timestampMs: number;
  readonly fees: RowFees;
  /** Whether an ancestor ran it within its life. */
  readonly ran: (batchId: Uint8Array) => boolean;
  /** The rows of a batch that runs, with places in `accounts` instead of indices. */
  readonly placed: (rows: RowColumns) => RowColumns;
}

interface RanBatch extends ExecutedBatch {
  /** In the block's list of batches. */
  readonly place: number;
  readonly leaf: BatchLeaf;
}

interface ExecutedBatches {
  readonly ran: readonly RanBatch[];
  readonly skipped: readonly { readonly place: number; readonly reason: SkipReason }[];
  /** Over the leaves of `ran`. */
  readonly batchesRoot: Uint8Array;
  /** Of `ran`, skipped ones included. */
  readonly rows: number;
}

export function executeBatches(
  accounts: Accounts,
  batches: readonly BlockBatch[],
  { height, timestampMs, fees, ran: ranBefore, placed }: BlockTerms,
): ExecutedBatches {
  const ran: RanBatch[] = [];
  const skipped: { place: number; reason: SkipReason }[] = [];
  const ranHere = new Set<string>();
  let rows = 0;
  for (const [place, { batch, batchId, isValid }] of batches.entries()) {
    const name = toHex(batchId);
    const reason = batchSkipReason(batch.header, {
      height,
      timestampMs,
      rowFee: fees.row,
      isValid: () => isValid,
      ran: () => ranHere.has(name) || ranBefore(batchId),
    });
    if (reason !== undefined) {
      skipped.push({ place, reason });
      continue;
    }
    ranHere.add(name);
    const executed = executeBatch(
      accounts,
      { rows: placed(batch.rows), stragglers: batch.stragglers },
      { fees, timestampMs },
    );
    ran.push({ ...executed, place, leaf: leafOf(batch, executed, fees, rows) });
    rows += batch.rows.count;
  }
  return { ran, skipped, batchesRoot: batchesRootOf(ran.map(({ leaf }) => leaf)), rows };
}

function leafOf({ header }: Batch, executed: ExecutedBatch, fees: RowFees, firstIndex: number): BatchLeaf {
  return {
    header,
    rowFee: fees.row,
    stragglerFee: executed.chargedStragglers > 0 ? fees.straggler : 0n,
    firstIndex,
    outcomesRoot: outcomesRootOf(executed.outcomes),
  };
}
