/**
 * Offers: signed batches on their way through a validator into a final block.
 *
 *   signed --offer--> accepted --block final--> outcomes
 *              |  \--later--> offered again, until it expires
 *              \--refused--> dropped         epoch over, expired --> its rows begin again once, or are dropped
 */
import type { BatchRecord } from '@slipstream/distilled';
import type { BrokerMessage, RowReason } from '@slipstream/distilled/stream';
import { toHex } from '@slipstream/primitives';
import type { BrokerComponents, CommittedBlock } from './components.ts';
import type { SignedBatch } from './gathering.ts';
import { EPOCH_GRACE_MS } from './limits.ts';
import type { RowEntry } from './row-entry.ts';

interface Offers {
  add(batch: SignedBatch): void;
  committed(block: CommittedBlock): void;
  /** Without an outcome yet. */
  readonly batches: number;
  readonly bytes: number;
  stop(): readonly RowEntry[];
}

interface OffersParts extends Pick<BrokerComponents, 'clock' | 'telemetry' | 'offer'> {
  drop(entries: readonly RowEntry[], reason: RowReason): void;
  /** Into a new window. */
  again(entries: readonly RowEntry[]): void;
  /** Its client has its outcome. */
  done(entry: RowEntry): void;
}

interface Offered extends SignedBatch {
  /** Its rows stand in another batch too, and it may still run. */
  isReplaced: boolean;
}

/** Of a row: its first batch, and one more. */
const LOSSES_MAX = 1;

export function createOffers(parts: OffersParts): Offers {
  const { clock, telemetry } = parts;
  /** By batch id, hex. */
  const offered = new Map<string, Offered>();
  const timers = new Set<() => void>();
  let bytes = 0;
  let epoch: number | undefined;
  let isStopped = false;

  function after(delayMs: number, action: () => void): void {
    const cancel = clock.after(delayMs, () => {
      timers.delete(cancel);
      action();
    });
    timers.add(cancel);
  }

  function forget(one: Offered): void {
    if (offered.delete(one.open.name)) bytes -= one.bytes.length;
  }

  async function offer(one: Offered): Promise<void> {
    const answer = await parts.offer(one.bytes, one.batch).catch((error: unknown) => {
      telemetry.log('debug', 'a batch could not be offered', { error: String(error) });
      return { type: 'later', retryAfterMs: 500 } as const;
    });
    if (isStopped || !offered.has(one.open.name) || one.isReplaced) return;
    telemetry.count('broker_offers', 1, { answer: answer.type });
    switch (answer.type) {
      case 'accepted':
        return;
      case 'later':
        if (clock.wallMs() < one.batch.header.expiryMs) return after(answer.retryAfterMs, () => void offer(one));
        return lose(one, 'batch-expired');
      case 'wrong-epoch':
        return lose(one, 'batch-expired');
      default:
        telemetry.log('warn', 'a validator refused a batch of this broker', { reason: answer.reason });
        forget(one);
        return parts.drop(one.open.entries, 'batch-refused');
    }
  }

  /** No block will run it. */
  function lose(one: Offered, reason: RowReason): void {
    forget(one);
    if (!one.isReplaced) replace(one, reason);
  }

  function replace(one: Offered, reason: RowReason): void {
    one.isReplaced = true;
    const entries = one.open.entries.filter(({ isDone }) => !isDone);
    for (const entry of entries) entry.losses++;
    parts.drop(
      entries.filter(({ losses }) => losses > LOSSES_MAX),
      reason,
    );
    parts.again(entries.filter(({ losses }) => losses <= LOSSES_MAX));
  }

  function run(one: Offered, height: number, record: BatchRecord): void {
    forget(one);
    telemetry.count('broker_batches_final');
    telemetry.count('broker_rows_final', one.open.entries.length);
    telemetry.observe('broker_batch_final_ms', clock.monotonicMs() - one.sinceMs);
    for (const [session, positions] of one.open.positions)
      session.send(outcomesMessage(one, positions, height, record));
    for (const entry of one.open.entries) parts.done(entry);
  }

  function moved(to: number): void {
    if (epoch !== undefined && to !== epoch) after(EPOCH_GRACE_MS, () => replaceOlder(to));
    epoch = to;
  }

  /** Z2: no new chunk takes them. One in a chunk may still run, which a second copy of its rows does not harm (Z8). */
  function replaceOlder(than: number): void {
    for (const one of offered.values()) {
      if (one.batch.header.epoch < than && !one.isReplaced) replace(one, 'batch-expired');
    }
  }

  return {
    add(batch) {
      const one: Offered = { ...batch, isReplaced: false };
      offered.set(one.open.name, one);
      bytes += one.bytes.length;
      void offer(one);
    },
    committed({ epoch: of, height, timestampMs, batches, skipped }) {
      for (const record of batches) {
        const one = offered.get(toHex(record.batchId));
        if (one !== undefined) run(one, height, record);
      }
      for (const one of [...offered.values()]) {
        if (skipped.has(one.open.name)) lose(one, 'batch-skipped');
        else if (one.batch.header.expiryMs <= timestampMs) lose(one, 'batch-expired');
      }
      moved(of);
    },
    get batches() {
      return offered.size;
    },
    get bytes() {
      return bytes;
    },
    stop() {
      isStopped = true;
      for (const cancel of timers) cancel();
      return [...offered.values()].flatMap(({ open }) => open.entries);
    },
  };
}

/** For the stream whose rows have these positions. */
function outcomesMessage(
  { open: { batchId, entries } }: Offered,
  positions: readonly number[],
  height: number,
  { leaf: { rowFee, stragglerFee }, outcomes }: BatchRecord,
): BrokerMessage {
  const own = Uint8Array.from(positions, (position) => outcomes[position] as number);
  const places = positions.flatMap((position, place) => (entries[position]?.isAlone ? [place] : []));
  const stragglers = Uint32Array.from(places);
  return { name: 'outcomes', value: { batchId, height, rowFee, stragglerFee, outcomes: own, stragglers } };
}
