/**
 * Aggregates of distilled batches: a sum of keys each, and one multi-pairing for all.
 *
 *   keys --sum--> identity? --no--> one multi-pairing with secret 64-bit coefficients --bad--> each alone, by bisection
 *
 * INVARIANT: possession of each key is proven, so no key cancels others that its owner does not hold. Keys of one owner may cancel: an
 * aggregate under the identity would prove nothing.
 */
import type { DistilledClaim } from '@slipstream/ports';
import { BLS_AGGREGATE_BYTES, BLS_UNCOMPRESSED_KEY_BYTES } from '@slipstream/types';
import { type BatchAnswers, checkBatch, type DecodedStatement } from './batch-check.ts';
import { decodeSignatureUnchecked, isIdentityKey, sumEncodedKeys } from './binding.ts';

/** `pause` precedes each key sum after the first, and each check of a bisection. */
export function checkDistilledClaims(claims: readonly DistilledClaim[], pause: () => void): BatchAnswers {
  return checkBatch(
    claims.map((claim, at) => {
      if (at > 0) pause();
      return statementOf(claim);
    }),
    pause,
  );
}

/** Undefined: false without a pairing. */
function statementOf({ message, keys, aggregate }: DistilledClaim): DecodedStatement | undefined {
  const signature = decodeSignatureUnchecked(aggregate, BLS_AGGREGATE_BYTES);
  if (signature === undefined || keys.length % BLS_UNCOMPRESSED_KEY_BYTES !== 0) return undefined;
  const encoded: Uint8Array[] = [];
  for (let at = 0; at < keys.length; at += BLS_UNCOMPRESSED_KEY_BYTES) {
    encoded.push(keys.subarray(at, at + BLS_UNCOMPRESSED_KEY_BYTES));
  }
  const publicKey = sumEncodedKeys(encoded);
  if (publicKey === undefined || isIdentityKey(publicKey)) return undefined;
  return { message, publicKey, encoded: aggregate, signature };
}
