/** One distilled batch, of the rows of certified-rows.ts, in whatever block is asked about. */
import { outcomeOf, positionIn, type RowOutcome } from '@slipstream/distilled';
import { bytesEqual, fromHex } from '@slipstream/primitives';
import { asId, type BlockId, ed25519Account, height, type TransactionId } from '@slipstream/types';
import {
  AT,
  batchId,
  blockIdOfRows,
  leaf,
  outcomes,
  proofOf,
  provenAt,
  rows,
} from '../../client/test/certified-rows.ts';
import type { BatchSummary, NodeBackend, RanRow, RowProofRecord, TransactionRecord } from '../src/index.ts';

const blockId = asId<BlockId>(fromHex(blockIdOfRows()));
const STATUS = { success: 'final', failed: 'failed', skipped: 'skipped' } as const;
const SUMMARY: BatchSummary = {
  batchId,
  blockId,
  height: height(AT),
  index: 1,
  leaf,
  charged: rows.length - 1,
  failed: 1,
  skipped: 1,
};

function ranAt(position: number): RanRow {
  const { rowId, row } = provenAt(position);
  const outcome = outcomeOf(outcomes[position] as number) as RowOutcome;
  return { rowId, position, row, outcome, straggler: false, fee: outcome.status === 'skipped' ? 0n : leaf.rowFee };
}

export function fakeRow(id: TransactionId): TransactionRecord | undefined {
  const position = positionIn(batchId, id);
  if (position === undefined || position >= rows.length) return undefined;
  const ran = ranAt(position);
  const [sender, recipient] = [ran.row.sender, ran.row.recipient].map((index) =>
    ed25519Account(new Uint8Array(32).fill(index)),
  ) as [ReturnType<typeof ed25519Account>, ReturnType<typeof ed25519Account>];
  const at = height(AT);
  const row = { ...ran, batchId, sender, recipient, blockId, height: at, index: leaf.firstIndex + position };
  return { id, status: STATUS[ran.outcome.status], height: at, row };
}

export function fakeRowProof(position: number): RowProofRecord {
  return { ...provenAt(position), proof: proofOf(position) };
}

export const FAKE_BATCHES: Pick<NodeBackend, 'blockBatches' | 'batch' | 'batchRows'> = {
  blockBatches: async (reference) =>
    reference.type === 'id' ? { type: 'unknown' } : { type: 'found', value: { items: [SUMMARY], next: undefined } },
  batch: async (id) => (bytesEqual(id, batchId) ? { type: 'found', value: SUMMARY } : { type: 'unknown' }),
  async batchRows(id, { cursor = '0', limit }) {
    if (!bytesEqual(id, batchId)) return { type: 'unknown' };
    const to = Math.min(Number(cursor) + limit, rows.length);
    const items = rows.slice(Number(cursor), to).map((_, i) => ranAt(Number(cursor) + i));
    return { type: 'found', value: { items, next: to < rows.length ? String(to) : undefined } };
  },
};
