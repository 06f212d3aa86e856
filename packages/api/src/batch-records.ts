/** Distilled batches and their rows, as the node gives them to the API. */
import type { BatchLeaf, CertifiedRowProof, Row, RowOutcome } from '@slipstream/distilled';
import type { AccountKey, BlockId, Height } from '@slipstream/types';

export interface BatchSummary {
  readonly batchId: Uint8Array;
  readonly blockId: BlockId;
  readonly height: Height;
  /** Among the batches of its block that ran. */
  readonly index: number;
  readonly leaf: BatchLeaf;
  /** Rows; failed ones are charged, too. */
  readonly charged: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface RanRow {
  readonly rowId: Uint8Array;
  readonly position: number;
  readonly row: Row;
  readonly outcome: RowOutcome;
  /** Undefined: copies of the batch in its block differ in that, and a charged row's fee is one of the leaf's two. */
  readonly straggler: boolean | undefined;
  readonly fee: bigint | undefined;
}

export interface RowRecord extends RanRow {
  readonly batchId: Uint8Array;
  readonly sender: AccountKey;
  readonly recipient: AccountKey;
  readonly blockId: BlockId;
  readonly height: Height;
  /** Among the rows of the block. */
  readonly index: number;
}

export interface RowProofRecord extends Pick<RanRow, 'rowId' | 'position' | 'row' | 'outcome'> {
  readonly batchId: Uint8Array;
  readonly leaf: BatchLeaf;
  readonly proof: CertifiedRowProof;
}
