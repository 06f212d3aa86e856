import type { Durable } from '@slipstream/primitives';
import type { WalError } from './errors.ts';
import type { SyncedKind, UnsyncedKind } from './record-kinds.ts';
import type { WriterStats } from './writer-stats.ts';

export interface Wal {
  /**
   * Appends a copy of the payload; its kind decides whether it is synced, written or buffered. A record that binds this node makes its
   * statement `Durable`. Throws WalError `record-too-large`, `backlog-full`, `poisoned` or `closed`.
   */
  append(kind: UnsyncedKind, payload: Uint8Array): number;
  append<Statement>(kind: SyncedKind, payload: Uint8Array, statement: Statement): Appended<Statement>;
  /** Resolves once all earlier appends are durable, whatever their kind. Rejects with `write-failed` or `poisoned`. */
  sync(): Promise<void>;
  /** Resolves once the operating system has all earlier appends: they survive this process, not a power cut. */
  flush(): Promise<void>;
  /** Removes whole segments below a sequence, oldest first, and returns their number. Concurrent calls share one removal. */
  prune(belowSequence: number): Promise<number>;
  /** Syncs and closes. Idempotent. */
  close(): Promise<void>;
  readonly lastSequence: number;
  readonly durableSequence: number;
  /** Why nothing is written any more; undefined while the log works. */
  readonly failure: WalError | undefined;
  /** Resolves with the reason when nothing is written any more. */
  readonly failed: Promise<WalError>;
  readonly stats: WriterStats;
}

export interface Appended<Statement> {
  readonly sequence: number;
  /** Once the record, and every record before it, is durable. Rejects with `write-failed`. */
  readonly durable: Promise<Durable<Statement>>;
}
