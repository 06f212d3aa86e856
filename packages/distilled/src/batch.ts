/** A batch: many rows under one aggregate of their senders, and Ed25519 signatures of senders that are not in it. */
import type { BatchHeader } from './header.ts';
import type { RowColumns } from './rows.ts';

export interface Straggler {
  /** Of its row. */
  readonly position: number;
  readonly expiryMs: number;
  /** Highest fee of this row. */
  readonly feeCap: bigint;
  /** 64 bytes, Ed25519, over stragglerMessage. */
  readonly signature: Uint8Array;
}

export interface Batch {
  readonly header: BatchHeader;
  /** As many as the header says, strictly ascending by sender, then sequence. */
  readonly rows: RowColumns;
  /** Ascending by position. */
  readonly stragglers: readonly Straggler[];
  /** 96 bytes; undefined if each row has a straggler signature. */
  readonly aggregate: Uint8Array | undefined;
}
