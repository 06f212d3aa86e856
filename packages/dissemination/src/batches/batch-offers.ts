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
import { UNIT_DIMENSIONS } from '@slipstream/types';
import type { Rules } from '../components.ts';
import type { Committees } from '../epochs/committees.ts';
import { createWorkBudget } from '../intake/work-budget.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { BatchJudge, Directory } from './batch-judge.ts';
import type { BatchPlace, BatchPool } from './batch-pool.ts';
import { createJudgedBounds } from './judged-bounds.ts';
import { type BatchRules, openBatch, rowsOfChunkMax, type StoredBatch } from './stored-batch.ts';

type OfferRefusal =
  | 'no-producer' // no member of the epoch
  | 'no-directory' // of the chain
  | 'malformed'
  | 'not-its-broker' // the header names another
  | 'wrong-epoch'
  | 'expired'
  | 'expiry-too-far'
  | 'known-at-bounds' // above what is final and executed here, or too old
  | 'max-fee-too-low'
  | 'over-limit' // more than a chunk or block may hold
  | 'queue-full'
  | 'broker-limit' // too many of this broker wait
  | 'verification-limit' // too many, or false ones, of this broker
  | 'bad-signature'; // Z3 to Z6

export type OfferResult =
  | { readonly type: 'accepted'; readonly batchId: Uint8Array; readonly expiryMs: number }
  | { readonly type: 'known'; readonly batchId: Uint8Array; readonly where: BatchPlace }
  /** `retryAfterMs` undefined: never with these bytes. */
  | { readonly type: 'rejected'; readonly reason: OfferRefusal; readonly retryAfterMs: number | undefined };

/** `broker`: whose connection it came over. Rejects when the verifier does. */
export type OfferBatch = (bytes: Uint8Array, broker: PeerKey) => Promise<OfferResult>;

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

/** Of all other brokers together, as a peer may have many keys. This node's own broker does not share it. */
const OTHERS_WORK: Rate = { perSecond: 64, burst: 256 };
export function createBatchOffers(
  parts: BatchOffersParts,
  batchRules: BatchRules | undefined,
  { retryAfterMs }: Pick<DisseminationLimits, 'retryAfterMs'>,
): OfferBatch {
  const { clock, committees, rules, batchPool, distilled, judge } = parts;
  const work = createWorkBudget(clock, BROKER_WORK);
  const ofOthers = createTokenBucket(clock, OTHERS_WORK);
  const judged = createJudgedBounds();

  const never = (reason: OfferRefusal): OfferResult => ({ type: 'rejected', reason, retryAfterMs: undefined });
  const notNow = (reason: OfferRefusal): OfferResult => ({ type: 'rejected', reason, retryAfterMs });

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
    const full = batchPool.roomFor(batch);
    return full && notNow(full);
  }

  return async (bytes, broker) => {
    if (batchRules === undefined || distilled === undefined || judge === undefined) return never('no-directory');
    if (committees.current.self === undefined) return notNow('no-producer');
    const { current } = committees;
    const isOwn = current.self !== undefined && current.peersOf(current.self).includes(broker);
    if (work.left(broker) === 0 || (!isOwn && !ofOthers.take())) return notNow('verification-limit');
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
    if (!judged.enter(broker, bytes.length)) return notNow('verification-limit');
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
    parts.accepted();
    return { type: 'accepted', batchId, expiryMs };
  };
}
