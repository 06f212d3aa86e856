/**
 * Batch offers: a broker's batch on its way into a chunk of this producer.
 *
 *   offer --form, broker, epoch, expiry, fee, room, work--> judge --valid--> pool --> next chunk
 *
 * INVARIANT (D23): what this node packs is valid by its own judgement, since a chunk with a false batch is blamed on its producer. So knownAt
 * is final and executed here before it is packed.
 */
import { expiryFault, KNOWN_AT_WINDOW, ROW_UNITS } from '@slipstream/distilled';
import type { Clock, PeerKey } from '@slipstream/ports';
import { createTokenBucket, type Rate } from '@slipstream/primitives';
import { type BatchRefusal, UNIT_DIMENSIONS } from '@slipstream/types';
import type { Rules } from '../components.ts';
import type { Committees } from '../epochs/committees.ts';
import { createWorkBudget } from '../intake/work-budget.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { BatchJudge, Directory } from './batch-judge.ts';
import type { BatchPlace, BatchPool } from './batch-pool.ts';
import { createBrokerStanding, type RanBatch } from './broker-standing.ts';
import { createJudgedBounds } from './judged-bounds.ts';
import { type BatchRules, openBatch, rowsOfChunkMax, type StoredBatch } from './stored-batch.ts';

export type OfferResult =
  | { readonly type: 'accepted'; readonly batchId: Uint8Array; readonly expiryMs: number }
  | { readonly type: 'known'; readonly batchId: Uint8Array; readonly where: BatchPlace }
  /** `retryAfterMs` undefined: never with these bytes. */
  | { readonly type: 'rejected'; readonly reason: BatchRefusal; readonly retryAfterMs: number | undefined };

/** `broker`: whose connection it came over. Rejects when the verifier does. */
export type OfferBatch = (bytes: Uint8Array, broker: PeerKey) => Promise<OfferResult>;

export interface BatchOffers {
  readonly offer: OfferBatch;
  ran(batches: readonly RanBatch[]): void;
  /** By block timestamp. */
  expire(timestampMs: number): void;
}

interface BatchOffersParts {
  readonly clock: Clock;
  readonly committees: Pick<Committees, 'current'>;
  readonly rules: Pick<Rules, 'feeOf'>;
  readonly batchPool: BatchPool;
  readonly distilled?: { readonly directory: Directory } | undefined;
  readonly judge: BatchJudge | undefined;
  /** It may be packed. */
  accepted(): void;
}

/** Twice the windows of a busy broker. */
const BROKER_WORK: Rate = { perSecond: 8, burst: 64 };
/** A false one costs the checks of its neighbours: all that is left, and ten seconds. */
const FALSE_BATCH_WORK = BROKER_WORK.burst + 10 * BROKER_WORK.perSecond;

/** Of all other brokers together, as a peer may have many keys: those whose newest batch paid (D28), and the rest. This node's own broker shares neither. */
const PROVEN_WORK: Rate = { perSecond: 64, burst: 256 };
const STRANGERS_WORK: Rate = { perSecond: 16, burst: 128 };

export function createBatchOffers(
  parts: BatchOffersParts,
  batchRules: BatchRules | undefined,
  { retryAfterMs }: Pick<DisseminationLimits, 'retryAfterMs'>,
): BatchOffers {
  const { clock, committees, rules, batchPool, distilled, judge } = parts;
  const work = createWorkBudget(clock, BROKER_WORK);
  const ofProven = createTokenBucket(clock, PROVEN_WORK);
  const ofStrangers = createTokenBucket(clock, STRANGERS_WORK);
  const standing = createBrokerStanding();
  const judged = createJudgedBounds();

  const never = (reason: BatchRefusal): OfferResult => ({ type: 'rejected', reason, retryAfterMs: undefined });
  const notNow = (reason: BatchRefusal): OfferResult => ({ type: 'rejected', reason, retryAfterMs });

  function isOwn(broker: PeerKey): boolean {
    const { current } = committees;
    return current.self !== undefined && current.peersOf(current.self).includes(broker);
  }

  /** Of all others together. */
  function hasWork(broker: PeerKey): boolean {
    return isOwn(broker) || (standing.isProven(broker) ? ofProven : ofStrangers).take();
  }

  function refusal(batch: StoredBatch, limits: BatchRules, directory: Directory): OfferResult | undefined {
    const { current } = committees;
    if (batch.epoch !== current.epoch) return never('wrong-epoch');
    const late = expiryFault(batch.expiryMs, clock.wallMs());
    if (late !== undefined) return late === 'expired' ? never(late) : notNow(late);
    const newest = directory.newest() ?? -1;
    if (batch.knownAt > newest) return notNow('known-at-bounds');
    if (batch.knownAt <= newest - KNOWN_AT_WINDOW) return never('known-at-bounds');
    if (rules.feeOf(ROW_UNITS) > batch.feeCap) return notNow('max-fee-too-low');
    const isOver = UNIT_DIMENSIONS.some((_, i) => (batch.units[i] as number) > (current.unitLimits[i] as number));
    if (isOver || batch.rows > rowsOfChunkMax(limits)) return never('over-limit');
    const full = batchPool.roomFor(batch, isOwn(batch.broker));
    return full && notNow(full);
  }

  async function offer(bytes: Uint8Array, broker: PeerKey): Promise<OfferResult> {
    if (batchRules === undefined || distilled === undefined || judge === undefined) return never('no-directory');
    if (committees.current.self === undefined) return notNow('no-producer');
    if (work.left(broker) === 0 || !hasWork(broker)) return notNow('verification-limit');
    work.charge(broker, 1);
    const opened = openBatch(bytes, batchRules.genesisHash);
    if (!opened.ok) return never('malformed');
    const batch = opened.value;
    const { batchId, expiryMs } = batch;
    if (batch.broker !== broker) return never('not-its-broker');
    const where = batchPool.placeOf(batch);
    if (where !== undefined) return { type: 'known', batchId, where };
    const refused = refusal(batch, batchRules, distilled.directory);
    if (refused !== undefined) return refused;
    if (!judged.enter(broker, bytes.length, isOwn(broker))) return notNow('verification-limit');
    const verdict = await judge.ahead(batch, `broker ${broker}`).finally(() => judged.leave(broker, bytes.length));
    if (verdict === 'invalid') {
      work.charge(broker, FALSE_BATCH_WORK);
      return never('bad-signature');
    }
    if (verdict !== 'valid') return notNow('verification-limit');
    // The check took time: others may have come, or the epoch ended.
    const since = batchPool.placeOf(batch);
    if (since !== undefined) return { type: 'known', batchId, where: since };
    const late = refusal(batch, batchRules, distilled.directory);
    if (late !== undefined) return late;
    batchPool.add(batch);
    if (!isOwn(broker)) standing.took(batch);
    parts.accepted();
    return { type: 'accepted', batchId, expiryMs };
  }

  return {
    offer,
    ran(batches) {
      for (const broker of standing.ran(batches)) work.charge(broker, FALSE_BATCH_WORK);
    },
    expire: standing.expire,
  };
}
