/**
 * Aggregates that this node's verifier has found true as sums of shares, so that the same node does not check them again as batches.
 *
 *   shares of a window --verifier: true--> message, keys of the good ones, aggregate --> cache
 *   claim of a batch   --cache--hit--> true
 *                          \--miss--> verifier
 *
 * INVARIANT: only the verifier's own answer enters, and a claim is known by its message, all bytes of its keys and its aggregate. So a batch
 * with another aggregate, or another set of signers, is checked, whoever offers it.
 */
import type {
  DistilledClaim,
  DistilledVerifier,
  Priority,
  Share,
  ShareRequest,
  ShareSum,
  ShareVerifier,
} from '@slipstream/ports';
import { concatBytes, sha256 } from '@slipstream/primitives';
import { BLS_UNCOMPRESSED_KEY_BYTES as KEY_BYTES } from '@slipstream/types';
import { SCHEMES } from './cached-verifier.ts';
import type { VerificationCache, VerifiedSignature } from './verification-cache.ts';

export interface IndexedKeys extends Share {
  /** In the account directory, one for each key: a claim has its keys in this order. */
  readonly indices: Uint32Array;
}

interface IndexedShareRequest extends ShareRequest {
  readonly shares: readonly IndexedKeys[];
}

interface KnownAggregates {
  readonly distilled: DistilledVerifier;
  sumShares(request: IndexedShareRequest, priority: Priority): Promise<ShareSum>;
  /** Claims that needed no check. */
  readonly hits: number;
}

export function createKnownAggregates(
  { distilled, shares }: { readonly distilled: DistilledVerifier; readonly shares: ShareVerifier },
  cache: Pick<VerificationCache, 'has' | 'add'>,
): KnownAggregates {
  let hits = 0;

  async function checkDistilled(claims: readonly DistilledClaim[], priority: Priority): Promise<readonly boolean[]> {
    const known = claims.map((claim) => cache.has(entryOf(claim)));
    const missed = claims.filter((_, i) => known[i] !== true);
    hits += claims.length - missed.length;
    if (missed.length === 0) return known;
    const answers = (await distilled.checkDistilled(missed, priority)).values();
    return known.map((isKnown) => isKnown || answers.next().value === true);
  }

  return {
    distilled: { checkDistilled },
    async sumShares(request, priority) {
      const sum = await shares.sumShares(request, priority);
      const claim = claimOf(request, sum);
      if (claim !== undefined) cache.add(entryOf(claim));
      return sum;
    },
    get hits() {
      return hits;
    },
  };
}

/** Keys are hashed: a batch has hundreds. */
function entryOf({ message, keys, aggregate }: DistilledClaim): VerifiedSignature {
  return { scheme: SCHEMES.blsDistilled, domain: 0, publicKey: sha256(keys), message, signature: aggregate };
}

/** More than a batch has signers; index and place fit a number. */
const PLACES_MAX = 2 ** 14;

/** What the sum proves. Undefined: nothing, or an index is there twice, whose key a claim has once. */
function claimOf({ message, shares }: IndexedShareRequest, { aggregate, good }: ShareSum): DistilledClaim | undefined {
  if (aggregate === undefined) return undefined;
  const summed = shares.filter((_, i) => good[i] === true);
  if (summed.some(({ indices, keys }) => keys.length !== KEY_BYTES * indices.length)) return undefined;
  const places = placesByIndex(summed);
  if (places === undefined) return undefined;
  const joined = concatBytes(...summed.map(({ keys }) => keys));
  const keys = new Uint8Array(joined.length);
  for (let i = 0; i < places.length; i++) {
    const from = KEY_BYTES * (places[i] as number);
    keys.set(joined.subarray(from, from + KEY_BYTES), KEY_BYTES * i);
  }
  return { message, keys, aggregate };
}

/** Places of the keys, one share after another, in the order of their indices. Undefined: too many, or an index comes twice. */
function placesByIndex(shares: readonly IndexedKeys[]): Uint32Array | undefined {
  const count = shares.reduce((sum, { indices }) => sum + indices.length, 0);
  if (count > PLACES_MAX) return undefined;
  const ordered = new Float64Array(count);
  let place = 0;
  for (const { indices } of shares) for (const index of indices) ordered[place] = index * PLACES_MAX + place++;
  ordered.sort();
  let before = -1;
  for (const each of ordered) {
    const index = Math.floor(each / PLACES_MAX);
    if (index === before) return undefined;
    before = index;
  }
  return Uint32Array.from(ordered, (each) => each % PLACES_MAX);
}
