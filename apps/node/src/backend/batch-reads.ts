/** Distilled batches that ran: of a block, and by id with their rows. */
import type { BatchSummary, BlockReference, Lookup, NodeBackend, RanRow } from '@slipstream/api';
import { type BatchRecord, OUTCOME_SUCCESS, rowIdOf, SKIPPED_MIN } from '@slipstream/distilled';
import type { LedgerBatch, LedgerBlock, LedgerReader } from '@slipstream/ledger';
import { bytesEqual } from '@slipstream/primitives';
import type { RowsOf } from './committed-batches.ts';
import { placeOf } from './page-place.ts';
import { chunkMissing, ranRow, recordOf } from './row-reads.ts';

interface BatchReadComponents {
  readonly ledger: Pick<LedgerReader, 'batchOfRow' | 'block' | 'blocksWithReceipts'>;
  readonly rowsOf: RowsOf;
  readonly findBlock: (reference: BlockReference) => Promise<Lookup<LedgerBlock>>;
}

export type BatchReads = Pick<NodeBackend, 'blockBatches' | 'batch' | 'batchRows'>;

export function createBatchReads({ ledger, rowsOf, findBlock }: BatchReadComponents): BatchReads {
  /** An id that another begins like, which no node can find, is unknown. */
  async function find(batchId: Uint8Array): Promise<readonly [LedgerBatch, BatchRecord] | undefined> {
    const batch = await ledger.batchOfRow(batchId);
    const record = batch && recordOf(batch, batch.index);
    return batch && record && bytesEqual(record.batchId, batchId) ? [batch, record] : undefined;
  }

  return {
    async blockBatches(reference, { cursor, limit }) {
      const found = await findBlock(reference);
      if (found.type !== 'found') return found;
      const { blockId, block } = found.value;
      const from = placeOf(cursor);
      const [receipts] = await ledger.blocksWithReceipts(block.height, 1);
      const records = receipts?.batches ?? [];
      const batch = { blockId, height: block.height, records };
      const items = records
        .slice(from, from + limit)
        .map((_, at) => summaryOf({ ...batch, index: from + at }, recordOf(batch, from + at)));
      return {
        type: 'found',
        value: { items, next: from + limit < records.length ? String(from + limit) : undefined },
      };
    },
    async batch(batchId) {
      const found = await find(batchId);
      return found ? { type: 'found', value: summaryOf(...found) } : { type: 'unknown' };
    },
    async batchRows(batchId, { cursor, limit }) {
      const found = await find(batchId);
      if (found === undefined) return { type: 'unknown' };
      const [{ height }, record] = found;
      const from = placeOf(cursor);
      const to = Math.min(from + limit, record.leaf.header.rows);
      const place = await ledger.block({ height });
      const rows = place && (await rowsOf(place.block, record.leaf));
      if (rows === undefined) return chunkMissing(height);
      const items: RanRow[] = [];
      for (let position = from; position < to; position++) {
        items.push({ rowId: rowIdOf(batchId, position), ...ranRow(record, rows, position) });
      }
      return { type: 'found', value: { items, next: to < record.leaf.header.rows ? String(to) : undefined } };
    },
  };
}

function summaryOf({ blockId, height, index }: Omit<LedgerBatch, 'records'>, record: BatchRecord): BatchSummary {
  const { batchId, leaf, outcomes } = record;
  return { batchId, blockId, height, index, leaf, ...countOutcomes(outcomes) };
}

function countOutcomes(outcomes: Uint8Array): Pick<BatchSummary, 'charged' | 'failed' | 'skipped'> {
  let failed = 0;
  let skipped = 0;
  for (const outcome of outcomes) {
    if (outcome >= SKIPPED_MIN) skipped++;
    else if (outcome !== OUTCOME_SUCCESS) failed++;
  }
  return { charged: outcomes.length - skipped, failed, skipped };
}
