/** Distilled batches of blocks, and their rows. */
import { to0x } from '@slipstream/primitives';
import {
  batchHeaderToJson,
  type DistilledBatch,
  type DistilledRow,
  type RowProofJson,
  type RowReceiptJson,
  rowProofToJson,
  rowToJson,
} from '@slipstream/schema';
import { accountKeyText, idFromHex } from '@slipstream/types';
import { type Handler, json } from '../answer.ts';
import type { NodeBackend } from '../backend.ts';
import type { BatchSummary, RanRow, RowProofRecord, RowRecord } from '../batch-records.ts';
import { missing } from './missing.ts';
import { pageJson, pageOf } from './pages.ts';
import { parseReference } from './references.ts';

type BatchRoute = 'blockBatches' | 'distilledBatch' | 'distilledRows';
type BatchReads = Pick<NodeBackend, 'blockBatches' | 'batch' | 'batchRows'>;

export function createBatchHandlers(backend: BatchReads): Readonly<Record<BatchRoute, Handler>> {
  return {
    async blockBatches(request) {
      const found = await backend.blockBatches(parseReference(request.params.block ?? ''), pageOf(request));
      if (found.type !== 'found') return missing(found, 'block-unknown');
      return json(pageJson(found.value, batchToJson));
    },
    async distilledBatch({ params: { id = '' } }) {
      const found = await backend.batch(idFromHex(id));
      return found.type === 'found' ? json(batchToJson(found.value)) : missing(found, 'batch-unknown');
    },
    async distilledRows(request) {
      const found = await backend.batchRows(idFromHex(request.params.id ?? ''), pageOf(request));
      if (found.type !== 'found') return missing(found, 'batch-unknown');
      return json(pageJson(found.value, ranRowToJson));
    },
  };
}

function batchToJson(batch: BatchSummary): DistilledBatch {
  const { batchId, blockId, height, index, leaf, charged, failed, skipped } = batch;
  return {
    batchId: to0x(batchId),
    height,
    blockId: to0x(blockId),
    index,
    ...batchHeaderToJson(leaf.header),
    rowFee: leaf.rowFee.toString(),
    stragglerFee: leaf.stragglerFee.toString(),
    firstIndex: leaf.firstIndex,
    charged,
    failed,
    skipped,
  };
}

function ranRowToJson(ran: RanRow): DistilledRow {
  return { id: to0x(ran.rowId), position: ran.position, ...outcomeToJson(ran) };
}

function outcomeToJson({ row, outcome, straggler, fee }: RanRow) {
  return {
    ...rowToJson(row),
    outcome,
    ...(straggler !== undefined && { straggler }),
    ...(fee !== undefined && { fee: fee.toString() }),
  };
}

export function rowReceiptToJson(record: RowRecord): RowReceiptJson {
  const { batchId, position, sender, recipient, height, blockId, index } = record;
  return {
    batchId: to0x(batchId),
    position,
    sender: accountKeyText(sender),
    recipient: accountKeyText(recipient),
    ...outcomeToJson(record),
    height,
    blockId: to0x(blockId),
    index,
  };
}

export function rowProofRecordToJson({ proof, ...proven }: RowProofRecord): RowProofJson {
  return rowProofToJson(proof, proven, proven);
}
