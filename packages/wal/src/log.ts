/** The write-ahead log's interface. */
import type { WalError } from './errors.ts';
import type { RecordKind } from './record-kinds.ts';
import type { WriterStats } from './writer-stats.ts';

export interface Wal {
  /**
   * Appends a copy of the payload and returns its sequence. The record is durable only after `sync`.
   * Throws WalError `record-too-large`, `backlog-full`, `poisoned` or `closed`.
   */
  append(kind: RecordKind, payload: Uint8Array): number;
  /** Resolves once all earlier appends are durable. Callers share syncs. Rejects with `write-failed` or `poisoned`. */
  sync(): Promise<void>;
  /** Resolves once the operating system has all earlier appends: they survive this process, but no power cut. */
  flush(): Promise<void>;
  /** Removes whole segments below a sequence, oldest first. Returns their number. A call during a removal joins it. */
  prune(belowSequence: number): Promise<number>;
  /** Syncs and closes. Idempotent. */
  close(): Promise<void>;
  readonly lastSequence: number;
  readonly durableSequence: number;
  /** True while a record with durabilityOf `synced` is not durable. Nothing that depends on it may leave the node. */
  readonly syncDue: boolean;
  /** Why nothing is written any more; undefined while the log works. */
  readonly failure: WalError | undefined;
  readonly stats: WriterStats;
}
