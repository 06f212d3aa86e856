/**
 * Offers: signed batches on their way through a validator into a final block.
 *
 *   signed --offer--> accepted --block final--> outcomes
 *              |  \--later--> offered again until it expires, oldest first; newer ones wait meanwhile
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
import { receiverOf } from './receiver.ts';
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
  /** It has no answer yet, or may be offered again. */
  isWaiting: boolean;
  /** An offer had no answer: a chunk may have it, whatever later answers say. */
  isUncertain: boolean;
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
  const turns = createTurns(timers, offered, offer);
  let bytes = 0;
  let epoch: number | undefined;
  let isStopped = false;

  function forget(one: Offered): void {
    if (offered.delete(one.open.name)) bytes -= one.bytes.length;
  }

  async function offer(one: Offered): Promise<void> {
    const answer = await answerTo(one, parts);
    if (isStopped || !offered.has(one.open.name) || one.isReplaced) return;
    telemetry.count('broker_offers', 1, { answer: answer.type, reason: 'reason' in answer ? answer.reason : '' });
    watch(answer);
    switch (answer.type) {
      case 'accepted':
        return;
      case 'later':
        if (clock.wallMs() >= one.batch.header.expiryMs) return end(one);
        return turns.wait(one, answer);
      case 'wrong-epoch':
        return end(one);
      default:
        telemetry.log('warn', 'a validator refused a batch of this broker', { reason: answer.reason });
        if (one.isUncertain) return replace(one);
        forget(one);
        return parts.drop(one.open.entries, 'batch-refused');
    }
  }

  /** It is not offered any more. */
  function end(one: Offered): void {
    if (one.isUncertain) replace(one);
    else lose(one);
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
    sendOutcomes(one, height, record);
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
      const one = offeredOf(batch);
      offered.set(one.open.name, one);
      bytes += one.bytes.length;
      turns.begin(one);
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

function offeredOf(batch: SignedBatch): Offered {
  const left = [...batch.open.entries];
  return { ...batch, isReplaced: false, isWaiting: true, isUncertain: false, reason: 'batch-expired', left };
}

async function answerTo(
  one: Offered,
  { offer, telemetry }: Pick<OffersParts, 'offer' | 'telemetry'>,
): Promise<OfferAnswer> {
  one.isWaiting = false;
  return offer(one.bytes, one.batch).catch((error: unknown) => {
    telemetry.log('debug', 'a batch could not be offered', { error: String(error) });
    one.isUncertain = true;
    return { type: 'later', retryAfterMs: 500, reason: 'not-ready' };
  });
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

/** Of one batch: they say nothing about the next one. */
const BATCH_REASONS: ReadonlySet<string> = new Set(['max-fee-too-low', 'known-at-bounds', 'expiry-too-far']);

/** One pause of all: what a validator takes is scarce, and the oldest batch expires first. */
function createTurns(
  timers: Pick<ReturnType<typeof createTimers>, 'after'>,
  offered: ReadonlyMap<string, Offered>,
  offer: (one: Offered) => Promise<void>,
) {
  let isPaused = false;

  function resume(): void {
    isPaused = false;
    for (const one of offered.values()) offerAgain(one);
  }

  function offerAgain(one: Offered): void {
    if (!isPaused && one.isWaiting && !one.isReplaced && offered.has(one.open.name)) void offer(one);
  }

  return {
    begin(one: Offered): void {
      if (!isPaused) void offer(one);
    },
    /** It was refused for now. */
    wait(one: Offered, { retryAfterMs, reason }: { readonly retryAfterMs: number; readonly reason: string }): void {
      one.isWaiting = true;
      if (BATCH_REASONS.has(reason)) return timers.after(retryAfterMs, () => offerAgain(one));
      if (isPaused) return;
      isPaused = true;
      timers.after(retryAfterMs, resume);
    },
  };
}

function sendOutcomes(one: Offered, height: number, record: BatchRecord): void {
  const { entries, positions: ofSessions } = one.open;
  for (const [session, positions] of ofSessions) {
    const own = positions.map((position) => entries[position] as RowEntry);
    // Rows that ran in an older batch have their outcome: here they were skipped.
    if (own.every(({ isDone }) => isDone)) continue;
    receiverOf(session, own).send(outcomesMessage(one, positions, height, record));
  }
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
