/**
 * Transfers that wait for a sequence and the broker's terms, by sender; then they are rows.
 *
 *   add --> queue of the sender --fill: sequence, limits, straggler signature--> pending rows
 */
import { type Row, stragglerMessage } from '@slipstream/distilled';
import type { Terms } from '@slipstream/distilled/stream';
import type { GenesisHash } from '@slipstream/types';
import { ClientError } from '../errors.ts';
import type { DistilleryOptions, TransferResult } from './options.ts';
import type { PendingRow, PendingRows, RowSignature } from './pending-rows.ts';
import { limitsOf, type RowLimits } from './row-limits.ts';
import type { Sender } from './senders.ts';

export interface QueuedTransfer {
  readonly sender: Sender;
  readonly recipient: number;
  readonly amount: bigint;
  readonly tag: number;
  readonly queuedAtMs: number;
  /** Ends it, as a row too. Later calls do nothing. */
  readonly settle: (end: TransferResult | ClientError) => void;
}

interface RowQueueComponents {
  readonly genesisHash: GenesisHash;
  readonly rows: PendingRows;
  readonly signRow: (message: Uint8Array, secret: Uint8Array) => Uint8Array;
  readonly nowMs: () => number;
}

interface RowQueue {
  add(transfer: QueuedTransfer): void;
  remove(transfer: QueuedTransfer): void;
  /** Makes rows of transfers that may be rows now. */
  fill(terms: Terms): void;
  /** Ends those that wait since before. `reason`: why no broker takes rows; undefined: one does. */
  expireBefore(ms: number, reason: string | undefined): void;
}

type RowOptions = Pick<DistilleryOptions, 'stragglers' | 'lifeMs' | 'feeCap' | 'stragglerFeeCap'>;

export function createRowQueue(components: RowQueueComponents, options: RowOptions): RowQueue {
  const { genesisHash, rows, signRow, nowMs } = components;
  const queues = new Map<Sender, Set<QueuedTransfer>>();

  function signatureOf(row: Row, { keys }: Sender, { expiryMs, stragglerFeeCap }: RowLimits): RowSignature | undefined {
    if (options.stragglers === false) return undefined;
    const message = stragglerMessage(genesisHash, row, { expiryMs, feeCap: stragglerFeeCap });
    return { expiryMs, feeCap: stragglerFeeCap, signature: signRow(message, keys.account.secret) };
  }

  function makeRow(
    { sender, recipient, amount, tag, settle }: QueuedTransfer,
    sequence: number,
    terms: Terms,
  ): PendingRow {
    const limits = limitsOf(options, terms, nowMs());
    const row = { sender: sender.index, recipient, amount, sequence, tag };
    return {
      row,
      expiryMs: limits.expiryMs,
      feeCap: limits.feeCap,
      straggler: signatureOf(row, sender, limits),
      settle,
      sentAtMs: undefined,
      retryAtMs: 0,
      mayRun: false,
      isProving: false,
      lastReason: undefined,
      seen: [],
    };
  }

  function fillFrom(sender: Sender, queue: Set<QueuedTransfer>, terms: Terms): void {
    for (const transfer of queue) {
      try {
        const sequence = sender.sequences.take();
        if (sequence === undefined) return;
        queue.delete(transfer);
        rows.add(makeRow(transfer, sequence, terms));
      } catch (error) {
        queue.delete(transfer);
        transfer.settle(error instanceof ClientError ? error : unsignable(error));
      }
    }
  }

  return {
    add(transfer) {
      const queue = queues.get(transfer.sender) ?? new Set();
      queues.set(transfer.sender, queue);
      queue.add(transfer);
    },
    remove: (transfer) => void queues.get(transfer.sender)?.delete(transfer),
    fill(terms) {
      for (const [sender, queue] of queues) {
        fillFrom(sender, queue, terms);
        if (queue.size === 0) queues.delete(sender);
      }
    },
    expireBefore(ms, reason) {
      for (const queue of queues.values()) {
        for (const transfer of queue) {
          // In the order of arrival.
          if (transfer.queuedAtMs >= ms) break;
          queue.delete(transfer);
          transfer.settle(notTaken(reason));
        }
      }
    },
  };
}

function unsignable(cause: unknown): ClientError {
  return new ClientError('bad-argument', `the row cannot be signed: ${String(cause)}`, {}, cause);
}

function notTaken(reason = 'too many rows of its sender are in flight'): ClientError {
  const message = `the transfer became no row in time, so it did not run: ${reason}`;
  return new ClientError('row-expired', message, { mayHaveRun: false, reason });
}
