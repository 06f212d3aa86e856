/**
 * Reports the expiry of transactions that were submitted here and never included.
 *
 * Expiry is by block time: a stalled chain may still include a transaction, and a client that believes in an expiry would pay again. After
 * a block at the expiry none can hold the transaction (skip.ts of execution). A commit's notice may be lost (wire.ts): at a gap the watch
 * asks the ledger.
 */
import type { LedgerReader } from '@slipstream/ledger';
import type { Clock, Telemetry } from '@slipstream/ports';
import { fromHex } from '@slipstream/primitives';
import { asId, TRANSACTION_LIFE_MS_MAX, type TransactionId } from '@slipstream/types';
import type { Tracker } from '../backend/tracker.ts';

interface ExpiryComponents {
  readonly clock: Pick<Clock, 'after'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  readonly tracker: Pick<Tracker, 'expire' | 'moved'>;
  readonly ledger: Pick<LedgerReader, 'transaction'>;
}

export interface ExpiryWatch {
  committed(height: number, timestampMs: number): void;
  stop(): void;
}

const POLL_MS = 1000;

export function watchExpiry({ clock, telemetry, tracker, ledger }: ExpiryComponents): ExpiryWatch {
  let stopped = false;
  let head = { height: 0, timestampMs: 0 };
  /** Timestamp of the newest block before which a commit was missed. */
  let gapMs = Number.NEGATIVE_INFINITY;
  let cancel = clock.after(POLL_MS, poll);

  function poll(): void {
    resolveExpired()
      .catch((error: unknown) => {
        if (!stopped) telemetry.log('error', 'what has expired could not be looked up', { error: String(error) });
      })
      .finally(() => {
        if (!stopped) cancel = clock.after(POLL_MS, poll);
      });
  }

  async function resolveExpired(): Promise<void> {
    for (const [id, expiryMs] of tracker.expire(head.timestampMs)) {
      // A later expiry shows that the transaction came after the missed block. Time does not: a chain may stall for long.
      const isSure = expiryMs > gapMs + TRANSACTION_LIFE_MS_MAX;
      const found = isSure ? undefined : await ledger.transaction(asId<TransactionId>(fromHex(id)));
      if (stopped) return;
      if (found === undefined) tracker.moved(id, 'expired');
      else {
        const { height, receipt } = found;
        tracker.moved(id, receipt.outcome.status === 'success' ? 'final' : 'failed', { height });
      }
    }
  }

  return {
    committed(height, timestampMs) {
      if (height !== head.height + 1) gapMs = timestampMs;
      head = { height, timestampMs };
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
