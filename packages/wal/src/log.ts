/** The write-ahead log as its users see it. */
import type { WalError } from './errors.ts';
import type { RecordKind } from './record-kinds.ts';
import type { WriterStats } from './writer-stats.ts';

export interface Wal {
  /**
   * Takes a record, in order; returns its sequence. Copies the payload. Nothing waits: it is durable after `sync`.
   * Throws WalError `record-too-large`, `backlog-full`, `poisoned` or `closed`.
   */
  append(kind: RecordKind, payload: Uint8Array): number;
  /** All that was appended so far is durable when it returns; callers share syncs. Rejects with `write-failed` or `poisoned`. */
  sync(): Promise<void>;
  /** All that was appended so far is with the operating system when it returns: it survives this process, not a power cut. */
  flush(): Promise<void>;
  /** Removes whole segments below a sequence, oldest first; returns how many. Who asks while some are being removed joins that. */
  prune(belowSequence: number): Promise<number>;
  /** Syncs, closes; idempotent. */
  close(): Promise<void>;
  readonly lastSequence: number;
  readonly durableSequence: number;
  /** A record that must be durable before anything that rests on it leaves (durabilityOf `synced`) is not yet. */
  readonly syncDue: boolean;
  /** Why nothing is written any more; undefined while all is well. */
  readonly failure: WalError | undefined;
  readonly stats: WriterStats;
}
