/**
 * Batch forwarder: brings a batch of the broker at this full node to a producer (D29).
 *
 *   offer --> a producer --accepted--> taken --no block ran it in time, or the producer is gone--> the next one
 *                    \--refused, gone, or no answer in time--> the next one, three in all --> the broker offers it again
 *
 * A producer may lie. So a refusal for good counts only if all that were asked give one, and an acceptance only until a block is late.
 */
import type { Clock, FrameSender, PeerKey, Transport } from '@slipstream/ports';
import { fail, ok, type Result, toHex } from '@slipstream/primitives';
import { type BatchAnswer, decodeFrame, outgoingFrame } from '@slipstream/types';
import type { Reports } from '../components.ts';
import type { Committees } from '../epochs/committees.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { OfferResult } from './batch-offers.ts';
import type { RanBatch } from './broker-standing.ts';
import { createProducerChoice } from './producer-choice.ts';
import type { StoredBatch } from './stored-batch.ts';

export interface BatchForwarder {
  /** A member of the epoch is connected. */
  reachesProducer(): boolean;
  /** Never rejects. */
  offer(batch: StoredBatch): Promise<OfferResult>;
  /** A `batchAnswer` frame with its kind byte. */
  onAnswer(from: PeerKey, frame: Uint8Array): void;
  ran(batches: readonly Pick<RanBatch, 'id'>[]): void;
  /** No block from this timestamp on may run them. */
  expire(timestampMs: number): void;
  stop(): void;
}

interface BatchForwarderParts {
  readonly clock: Clock;
  readonly transport: Pick<FrameSender, 'send'> & Pick<Transport, 'peers'>;
  readonly reports: Pick<Reports, 'offence'>;
  readonly committees: Pick<Committees, 'current'>;
}

type Answer = Omit<BatchAnswer, 'offerId'>;

interface Forwarded {
  readonly batch: StoredBatch;
  readonly tried: Set<PeerKey>;
  /** Asked and unanswered, or the last that accepted. */
  producer: PeerKey | undefined;
  sinceMs: number;
  settleAnswer: ((answer: Answer | undefined) => void) | undefined;
}

/** Asked about one batch, one after another: a third of the members may lie. */
const PRODUCERS_MAX = 3;
/** An honest producer answers within a round trip and a shared check. */
const ANSWER_MS = 3_000;
/** From an acceptance to a block: several block intervals and chunks. */
const BLOCK_MS = 5_000;
const LOOK_MS = 500;
/** One that did not answer is asked last. */
const REST_MS = 5_000;
/** Of a busy broker: four of the largest each second until they are in blocks. */
const FORWARDED_BYTES_MAX = 32 * 1024 * 1024;

export function createBatchForwarder(
  parts: BatchForwarderParts,
  { retryAfterMs }: Pick<DisseminationLimits, 'retryAfterMs'>,
): BatchForwarder {
  const { clock, transport, reports } = parts;
  const choice = createProducerChoice(parts);
  /** By batch id, hex. */
  const forwarded = new Map<string, Forwarded>();
  const asked = new Map<number, { readonly one: Forwarded; readonly producer: PeerKey }>();
  let bytes = 0;
  let nextOffer = 0;
  let cancelLook: (() => void) | undefined;
  let isStopped = false;

  /** Undefined: no answer, or not sent. */
  async function ask(one: Forwarded, producer: PeerKey): Promise<Answer | undefined> {
    const offerId = nextOffer++ >>> 0;
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    one.tried.add(producer);
    one.producer = producer;
    one.sinceMs = clock.monotonicMs();
    one.settleAnswer = resolve;
    asked.set(offerId, { one, producer });
    const cancel = clock.after(ANSWER_MS, () => resolve(undefined));
    const frame = outgoingFrame('batchOffer', { offerId, batch: one.batch.bytes });
    if (!transport.send(producer, 'transaction', frame)) resolve(undefined);
    lookSoon();
    const answer = await promise;
    cancel();
    asked.delete(offerId);
    one.settleAnswer = undefined;
    if (answer === undefined) choice.rest(producer, REST_MS);
    else if (answer.retryAfterMs > 0) choice.rest(producer, answer.retryAfterMs);
    return answer;
  }

  /** Undefined: no producer is left to ask. */
  async function askNext(one: Forwarded): Promise<OfferResult | undefined> {
    let refused: Rejected | undefined;
    while (one.tried.size < PRODUCERS_MAX && !isStopped) {
      const producer = choice.next(one.tried);
      if (producer === undefined) break;
      const answer = await ask(one, producer);
      if (answer !== undefined && answer.refusal === undefined) {
        const { batchId, expiryMs } = one.batch;
        one.sinceMs = clock.monotonicMs();
        return { type: 'accepted', batchId, expiryMs };
      }
      refused = sooner(refused, refusalOf(answer, retryAfterMs));
    }
    one.producer = undefined;
    return refused;
  }

  function forget(one: Forwarded): void {
    if (forwarded.delete(toHex(one.batch.batchId))) bytes -= one.batch.bytes.length;
  }

  function lookSoon(): void {
    if (!isStopped) cancelLook ??= clock.after(LOOK_MS, look);
  }

  function look(): void {
    cancelLook = undefined;
    const connected = new Set(choice.all());
    for (const one of [...forwarded.values()]) {
      const isGone = one.producer === undefined || !connected.has(one.producer);
      if (one.settleAnswer !== undefined) {
        if (isGone) one.settleAnswer(undefined);
      } else if (isGone || clock.monotonicMs() - one.sinceMs >= BLOCK_MS) {
        one.sinceMs = clock.monotonicMs();
        if (one.tried.size < PRODUCERS_MAX) void askNext(one);
      }
    }
    if (forwarded.size > 0) lookSoon();
  }

  async function offer(batch: StoredBatch): Promise<OfferResult> {
    const name = toHex(batch.batchId);
    if (forwarded.has(name)) return { type: 'known', batchId: batch.batchId, where: 'waiting' };
    const notNow = (reason: 'no-producer' | 'queue-full'): OfferResult => ({ type: 'rejected', reason, retryAfterMs });
    if (bytes + batch.bytes.length > FORWARDED_BYTES_MAX) return notNow('queue-full');
    const one: Forwarded = { batch, tried: new Set(), producer: undefined, sinceMs: 0, settleAnswer: undefined };
    forwarded.set(name, one);
    bytes += batch.bytes.length;
    const result = (await askNext(one)) ?? notNow('no-producer');
    if (result.type === 'rejected') forget(one);
    return result;
  }

  return {
    reachesProducer: () => choice.all().length > 0,
    offer,
    onAnswer(from, frame) {
      const opened = answerIn(frame);
      if (!opened.ok) return reports.offence(from, 'malformed-frame', opened.error);
      const { offerId, ...answer } = opened.value;
      const waiting = asked.get(offerId);
      // A late answer is no offence.
      if (waiting?.producer === from) waiting.one.settleAnswer?.(answer);
    },
    ran(batches) {
      for (const { id } of batches) {
        const one = forwarded.get(id);
        if (one === undefined) continue;
        forget(one);
        one.settleAnswer?.({ refusal: undefined, retryAfterMs: 0 });
      }
    },
    expire(timestampMs) {
      for (const one of [...forwarded.values()]) if (one.batch.expiryMs <= timestampMs) forget(one);
    },
    stop() {
      isStopped = true;
      cancelLook?.();
      for (const { one } of [...asked.values()]) one.settleAnswer?.(undefined);
    },
  };
}

type Rejected = Extract<OfferResult, { readonly type: 'rejected' }>;

/** A liar may name a long time, in which the broker would offer nothing. */
function sooner(one: Rejected | undefined, other: Rejected): Rejected {
  if (one === undefined) return other;
  return (other.retryAfterMs ?? Number.POSITIVE_INFINITY) < (one.retryAfterMs ?? Number.POSITIVE_INFINITY)
    ? other
    : one;
}

function refusalOf(answer: Answer | undefined, unansweredMs: number): Rejected {
  if (answer?.refusal === undefined) return { type: 'rejected', reason: 'no-producer', retryAfterMs: unansweredMs };
  const isForGood = answer.retryAfterMs === 0;
  return { type: 'rejected', reason: answer.refusal, retryAfterMs: isForGood ? undefined : answer.retryAfterMs };
}

function answerIn(frame: Uint8Array): Result<BatchAnswer, string> {
  const decoded = decodeFrame(frame);
  if (!decoded.ok) return fail(decoded.error.message);
  return decoded.value.name === 'batchAnswer' ? ok(decoded.value.value) : fail('no batch answer');
}
