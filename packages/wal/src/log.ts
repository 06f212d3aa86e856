import type { WalError } from './errors.ts';
import type { RecordKind } from './record-kinds.ts';
import type { WriterStats } from './writer-stats.ts';

export interface Wal {
  /**
   * Appends a copy of the payload and returns its sequence. The record is durable only after `sync`.
   * Throws WalError `record-too-large`, `backlog-full`, `poisoned` or `closed`.
   */
  append(kind: RecordKind, payload: Uint8Array): number;
  /** Resolves once all earlier appends are durable. Rejects with `write-failed` or `poisoned`. */
  sync(): Promise<void>;
  /** Resolves once the operating system has all earlier appends: they survive this process, not a power cut. */
  flush(): Promise<void>;
  /** Removes whole segments below a sequence, oldest first, and returns their number. Concurrent calls share one removal. */
  prune(belowSequence: number): Promise<number>;
  /** Syncs and closes. Idempotent. */
  close(): Promise<void>;
  readonly lastSequence: number;
  readonly durableSequence: number;
  /** True while a record of durability `synced` is not yet durable: nothing that depends on it may leave the node. */
  readonly syncDue: boolean;
  /** Why nothing is written any more; undefined while the log works. */
  readonly failure: WalError | undefined;
  readonly stats: WriterStats;
}
