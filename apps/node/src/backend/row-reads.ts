/**
 * Rows of distilled batches by id, with their proofs.
 *
 *   row id --ledger--> batch that ran, outcomes --chunks--> row --directory--> accounts
 *                                              \--row tree, outcomes, leaves, certified digest--> proof
 */
import type { Lookup, NodeBackend, RowRecord, TransactionRecord } from '@slipstream/api';
import {
  type BatchLeaf,
  type BatchRecord,
  decodeBatchRecord,
  leafOfRecord,
  makeRowProof,
  outcomeOf,
  positionIn,
  type RowOutcome,
  rowAt,
  SKIPPED_MIN,
} from '@slipstream/distilled';
import { decodeRegistration, entryKey } from '@slipstream/execution';
import type { LedgerBatch, LedgerReader } from '@slipstream/ledger';
import { assert, toHex } from '@slipstream/primitives';
import { type AccountKey, height as asHeight, type TransactionId } from '@slipstream/types';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { type CommittedRows, type RowsOf, remembered } from './committed-batches.ts';

interface RowReadComponents {
  readonly ledger: Pick<LedgerReader, 'block' | 'certifiedState'>;
  readonly read: ReadStateValues;
  readonly rowsOf: RowsOf;
}

export interface RowReads {
  /** Unknown: beyond the rows of the batch. */
  row(rowId: TransactionId, batch: LedgerBatch): Promise<Lookup<TransactionRecord>>;
  proof(rowId: TransactionId, batch: LedgerBatch): ReturnType<NodeBackend['proof']>;
}

const STATUS_OF_OUTCOME = { success: 'final', failed: 'failed', skipped: 'skipped' } as const;

const BLOCKS_REMEMBERED_MAX = 8;

export function createRowReads({ ledger, read, rowsOf }: RowReadComponents): RowReads {
  const leavesOf = remembered(BLOCKS_REMEMBERED_MAX, async (batch: LedgerBatch) => allLeaves(batch));

  async function rowsOfBatch({ height }: LedgerBatch, { leaf }: BatchRecord): Promise<CommittedRows | undefined> {
    const found = await ledger.block({ height });
    return found && rowsOf(found.block, leaf);
  }

  async function accountsOf(indices: readonly number[]): Promise<readonly AccountKey[]> {
    const { values } = await read(indices.map((index) => entryKey(index).bytes));
    return values.map((value) => {
      assert(value !== undefined, 'a row that ran names entries of the directory');
      return decodeRegistration(value).account;
    });
  }

  return {
    async row(rowId, batch) {
      const record = recordOf(batch, batch.index);
      const position = placeOf(rowId, record);
      if (position === undefined) return { type: 'unknown' };
      const rows = await rowsOfBatch(batch, record);
      if (rows === undefined) return chunkMissing(batch.height);
      const ran = ranRow(record, rows, position);
      const [sender, recipient] = await accountsOf([ran.row.sender, ran.row.recipient]);
      const { blockId, height } = batch;
      const row: RowRecord = {
        ...ran,
        rowId,
        batchId: record.batchId,
        sender: sender as AccountKey,
        recipient: recipient as AccountKey,
        blockId,
        height,
        index: record.leaf.firstIndex + position,
      };
      return { type: 'found', value: { id: rowId, status: STATUS_OF_OUTCOME[row.outcome.status], height, row } };
    },
    async proof(rowId, batch) {
      const record = recordOf(batch, batch.index);
      const position = placeOf(rowId, record);
      if (position === undefined) return { type: 'unknown' };
      const state = await ledger.certifiedState(batch.height);
      if (state === undefined) return { type: 'not-ready' };
      const found = await rowsOfBatch(batch, record);
      if (found === undefined) return chunkMissing(batch.height);
      const { leaf, outcomes, batchId } = record;
      const leaves = (await leavesOf(toHex(batch.blockId), batch)) ?? [];
      const proof = makeRowProof({ rows: found.tree, outcomes, leaves, batch: batch.index }, position);
      const { row, outcome } = ranRow(record, found, position);
      const value = { rowId, batchId, position, row, outcome, leaf, proof: { proof, ...state } };
      return { type: 'row', value };
    },
  };
}

function allLeaves({ records }: Pick<LedgerBatch, 'records'>): readonly BatchLeaf[] {
  return records.map((bytes) => {
    const leaf = leafOfRecord(bytes);
    assert(leaf.ok, RECORDS_ARE_OWN);
    return leaf.value;
  });
}

const RECORDS_ARE_OWN = 'the ledger has records that a node made or checked';

export function recordOf({ records }: Pick<LedgerBatch, 'records'>, index: number): BatchRecord {
  const decoded = decodeBatchRecord(records[index] as Uint8Array);
  assert(decoded.ok, RECORDS_ARE_OWN);
  return decoded.value;
}

function placeOf(rowId: Uint8Array, { batchId, leaf }: BatchRecord): number | undefined {
  const position = positionIn(batchId, rowId);
  return position !== undefined && position < leaf.header.rows ? position : undefined;
}

export function ranRow({ leaf, outcomes }: BatchRecord, { rows, isStraggler }: CommittedRows, position: number) {
  const byte = outcomes[position] as number;
  const straggler = isStraggler(position);
  const charged = straggler === undefined ? undefined : straggler ? leaf.stragglerFee : leaf.rowFee;
  return {
    position,
    row: rowAt(rows, position),
    outcome: outcomeOf(byte) as RowOutcome,
    straggler,
    fee: byte >= SKIPPED_MIN ? 0n : charged,
  };
}

export function chunkMissing(height: number): { readonly type: 'pruned'; readonly detail: string } {
  const detail = `The batch ran at height ${asHeight(height)}, and a chunk of that block is not on this node: ask a node that retains more.`;
  return { type: 'pruned', detail };
}
