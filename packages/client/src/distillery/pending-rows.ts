/**
 * Rows that have not ended, by sender and sequence.
 *
 *   add --> waiting --take--> sent --header, outcome--> removed
 *              ^---- given back, or its session was lost
 */
import { columnsOf, type Row, type Straggler } from '@slipstream/distilled';
import { MESSAGE_ROWS_MAX, type RowsMessage } from '@slipstream/distilled/stream';
import type { ClientError } from '../errors.ts';
import type { TransferResult } from './options.ts';

export type RowSignature = Omit<Straggler, 'position'>;

/** Where a row stands that a batch has. */
export interface SeenIn {
  readonly batchId: Uint8Array;
  readonly position: number;
  /** This client signed the batch for its sender. */
  isShared: boolean;
}

export interface PendingRow {
  readonly row: Row;
  readonly expiryMs: number;
  readonly feeCap: bigint;
  readonly straggler: RowSignature | undefined;
  readonly settle: (result: TransferResult | ClientError) => void;
  /** Undefined: it waits to be sent. */
  sentAtMs: number | undefined;
  retryAtMs: number;
  /** A broker may have it, so it may run although another one refuses it. */
  mayRun: boolean;
  /** Its outcome is being proven. */
  isProving: boolean;
  /** Why it did not run so far. */
  lastReason: string | undefined;
  /** Newest last; bounded. */
  readonly seen: SeenIn[];
}

export interface PendingRows {
  readonly size: number;
  add(row: PendingRow): void;
  find(sender: number, sequence: number): PendingRow | undefined;
  /** False: it ended before. */
  remove(row: PendingRow): boolean;
  isSent(row: PendingRow): boolean;
  /** At the present broker, in the order of sending. */
  allSent(): Iterable<PendingRow>;
  expiredBefore(ms: number): readonly PendingRow[];
  /** Rows that may be sent now, up to `most`, with the rows of each message: those of one message have the same limits. */
  take(nowMs: number, most: number, number: () => number): readonly TakenRows[];
  /** The session that has them was lost, or gave them back. */
  giveBack(row: PendingRow, retryAtMs: number): void;
  /** In flight at the present broker. */
  sent(): number;
  /** When the oldest of them was sent. */
  oldestSentMs(): number | undefined;
}

interface TakenRows {
  readonly message: RowsMessage;
  /** By position. */
  readonly rows: readonly PendingRow[];
}

export function createPendingRows(): PendingRows {
  const bySender = new Map<number, Map<number, PendingRow>>();
  const waiting = new Set<PendingRow>();
  /** In the order of sending. */
  const sent = new Set<PendingRow>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(row) {
      const { sender, sequence } = row.row;
      const own = bySender.get(sender) ?? new Map<number, PendingRow>();
      bySender.set(sender, own);
      own.set(sequence, row);
      waiting.add(row);
      size++;
    },
    find: (sender, sequence) => bySender.get(sender)?.get(sequence),
    remove(row) {
      const { sender, sequence } = row.row;
      if (bySender.get(sender)?.get(sequence) !== row) return false;
      bySender.get(sender)?.delete(sequence);
      waiting.delete(row);
      sent.delete(row);
      size--;
      return true;
    },
    isSent: (row) => sent.has(row),
    allSent: () => sent,
    expiredBefore(ms) {
      return [...waiting, ...sent].filter(({ expiryMs }) => expiryMs < ms);
    },
    take(nowMs, most, number) {
      const taken: PendingRow[] = [];
      for (const row of waiting) {
        if (taken.length >= most) break;
        if (row.retryAtMs <= nowMs && row.expiryMs > nowMs) taken.push(row);
      }
      for (const row of taken) {
        waiting.delete(row);
        row.sentAtMs = nowMs;
        sent.add(row);
      }
      return messagesOf(taken, number);
    },
    giveBack(row, retryAtMs) {
      if (!sent.delete(row)) return;
      row.sentAtMs = undefined;
      row.retryAtMs = retryAtMs;
      waiting.add(row);
    },
    sent: () => sent.size,
    oldestSentMs() {
      for (const { sentAtMs, isProving } of sent) if (!isProving) return sentAtMs;
      return undefined;
    },
  };
}

function messagesOf(taken: readonly PendingRow[], number: () => number): readonly TakenRows[] {
  const groups = Map.groupBy(taken, ({ expiryMs, feeCap }) => `${expiryMs} ${feeCap}`);
  return [...groups.values()].flatMap((group) => {
    const rows = group.sort((a, b) => a.row.sender - b.row.sender || a.row.sequence - b.row.sequence);
    const messages: TakenRows[] = [];
    for (let at = 0; at < rows.length; at += MESSAGE_ROWS_MAX) {
      const part = rows.slice(at, at + MESSAGE_ROWS_MAX);
      messages.push({ rows: part, message: messageOf(part, number()) });
    }
    return messages;
  });
}

function messageOf(rows: readonly PendingRow[], number: number): RowsMessage {
  const { expiryMs, feeCap } = rows[0] as PendingRow;
  const stragglers = rows.flatMap(({ straggler }, position) => {
    if (straggler === undefined) return [];
    return { position, expiryMs: straggler.expiryMs, feeCap: straggler.feeCap, signature: straggler.signature };
  });
  return { number, expiryMs, feeCap, rows: columnsOf(rows.map(({ row }) => row)), stragglers };
}
