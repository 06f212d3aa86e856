/**
 * Offers: signed batches on their way through a validator into a final block.
 *
 *   signed --offer--> accepted --block final--> outcomes
 *              |  \--later--> offered again, until it expires
 *              \--refused--> dropped         epoch over, skipped, expired --> its rows begin again once, or are dropped
 *
 * INVARIANT (Q9): a batch that was accepted is remembered until its expiry, even if its rows began again. A block that skipped it may have had a
 * false copy (D26), so the true one may still run. A row is dropped when no batch of it may run any more.
 */
import type { BatchRecord } from '@slipstream/distilled';
import type { BrokerMessage, RowReason } from '@slipstream/distilled/stream';
import { toHex } from '@slipstream/primitives';
import type { BrokerComponents, CommittedBlock, OfferAnswer } from './components.ts';
import type { SignedBatch } from './gathering.ts';
import { createKeptRows } from './kept-rows.ts';
import { EPOCH_GRACE_MS } from './limits.ts';
import type { RowEntry } from './row-entry.ts';

interface Offers {
  add(batch: SignedBatch): void;
  committed(block: CommittedBlock): void;
  /** Those that no older batch may run; it drops the others when it expires. */
  keep(entries: readonly RowEntry[]): readonly RowEntry[];
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
  /** Its rows began again, but for those that may not, and it may still run. */
  isReplaced: boolean;
  /** Why its rows are dropped when it expires. */
  reason: RowReason;
  /** In no other batch. */
  left: RowEntry[];
}

/** Of a row: its first batch, and one more. */
const LOSSES_MAX = 1;
/** Without an accepted batch, while some are refused for now. */
const UNACCEPTED_MS_MAX = 10_000;

export function createOffers(parts: OffersParts): Offers {
  const { clock, telemetry } = parts;
  /** By batch id, hex. */
  const offered = new Map<string, Offered>();
  const timers = createTimers(clock);
  const kept = createKeptRows<Offered>();
  const watch = createAcceptanceWatch(parts);
  let bytes = 0;
  let epoch: number | undefined;
  let isStopped = false;

  function forget(one: Offered): void {
    if (offered.delete(one.open.name)) bytes -= one.bytes.length;
  }

  async function offer(one: Offered): Promise<void> {
    const answer = await parts.offer(one.bytes, one.batch).catch((error: unknown) => {
      telemetry.log('debug', 'a batch could not be offered', { error: String(error) });
      return { type: 'later', retryAfterMs: 500, reason: 'not-ready' } as const;
    });
    if (isStopped || !offered.has(one.open.name) || one.isReplaced) return;
    telemetry.count('broker_offers', 1, { answer: answer.type, reason: 'reason' in answer ? answer.reason : '' });
    watch(answer);
    switch (answer.type) {
      case 'accepted':
        return;
      case 'later':
        if (clock.wallMs() < one.batch.header.expiryMs) return timers.after(answer.retryAfterMs, () => void offer(one));
        return lose(one);
      case 'wrong-epoch':
        return lose(one);
      default:
        telemetry.log('warn', 'a validator refused a batch of this broker', { reason: answer.reason });
        forget(one);
        return parts.drop(one.open.entries, 'batch-refused');
    }
  }

  /** No block will run it. */
  function lose(one: Offered): void {
    forget(one);
    if (!one.isReplaced) replace(one);
    kept.release(one.left);
    parts.drop(one.left, one.reason);
  }

  /** It may still run, unless it is forgotten. */
  function replace(one: Offered): void {
    one.isReplaced = true;
    const entries = one.left.filter(({ isDone }) => !isDone);
    for (const entry of entries) entry.losses++;
    one.left = entries.filter(({ losses }) => losses > LOSSES_MAX);
    const again = entries.filter(({ losses }) => losses <= LOSSES_MAX);
    kept.replaced(again, one);
    parts.again(again);
  }

  function run(one: Offered, height: number, record: BatchRecord): void {
    forget(one);
    kept.release(one.open.entries);
    telemetry.count('broker_batches_final');
    telemetry.count('broker_rows_final', one.open.entries.length);
    telemetry.observe('broker_batch_final_ms', clock.monotonicMs() - one.sinceMs);
    for (const [session, positions] of one.open.positions) {
      // Rows that ran in an older batch have their outcome: here they were skipped.
      if (positions.every((position) => one.open.entries[position]?.isDone)) continue;
      session.send(outcomesMessage(one, positions, height, record));
    }
    for (const entry of one.open.entries) parts.done(entry);
  }

  /** Z2: no new chunk takes them. One in a chunk may still run, which a second copy of its rows does not harm (Z8). */
  function moved(to: number): void {
    const isMove = epoch !== undefined && to !== epoch;
    epoch = to;
    if (!isMove) return;
    timers.after(EPOCH_GRACE_MS, () => {
      for (const one of offered.values()) if (one.batch.header.epoch < to && !one.isReplaced) replace(one);
    });
  }

  return {
    add(batch) {
      const one: Offered = { ...batch, isReplaced: false, reason: 'batch-expired', left: [...batch.open.entries] };
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
        if (skipped.has(one.open.name)) one.reason = 'batch-skipped';
        if (one.batch.header.expiryMs <= timestampMs) lose(one);
        else if (one.reason === 'batch-skipped' && !one.isReplaced) replace(one);
      }
      moved(of);
    },
    keep: (entries) => kept.keep(entries, ({ open }) => offered.has(open.name)),
    get batches() {
      return offered.size;
    },
    get bytes() {
      return bytes;
    },
    stop() {
      isStopped = true;
      timers.stop();
      const left = [...offered.values()].flatMap(({ open }) => open.entries);
      kept.release(left);
      offered.clear();
      bytes = 0;
      return left;
    },
  };
}

function createTimers(clock: OffersParts['clock']) {
  const cancels = new Set<() => void>();
  return {
    after(delayMs: number, action: () => void): void {
      const cancel = clock.after(delayMs, () => {
        cancels.delete(cancel);
        action();
      });
      cancels.add(cancel);
    },
    stop(): void {
      for (const cancel of cancels) cancel();
    },
  };
}

/** Tells the operator once when a validator accepts nothing for long. */
function createAcceptanceWatch({ clock, telemetry }: Pick<OffersParts, 'clock' | 'telemetry'>) {
  let sinceMs: number | undefined;
  let isReported = false;
  return (answer: OfferAnswer): void => {
    if (answer.type === 'accepted') {
      sinceMs = undefined;
      isReported = false;
    }
    if (answer.type !== 'later') return;
    sinceMs ??= clock.monotonicMs();
    if (isReported || clock.monotonicMs() - sinceMs < UNACCEPTED_MS_MAX) return;
    isReported = true;
    telemetry.log('warn', 'batches of this broker are not accepted', { reason: answer.reason });
  };
}

/** For the stream whose rows have these positions. */
function outcomesMessage(
  { open: { batchId }, batch: { stragglers: alone } }: Offered,
  positions: readonly number[],
  height: number,
  { leaf: { rowFee, stragglerFee }, outcomes }: BatchRecord,
): BrokerMessage {
  const own = Uint8Array.from(positions, (position) => outcomes[position] as number);
  const isAlone = new Set(alone.map(({ position }) => position));
  const places = positions.flatMap((position, place) => (isAlone.has(position) ? [place] : []));
  const stragglers = Uint32Array.from(places);
  return { name: 'outcomes', value: { batchId, height, rowFee, stragglerFee, outcomes: own, stragglers } };
}
