/**
 * Shares of a distilled batch: one sum and one check of it; each share for itself if that fails.
 *
 *   shares --sum--> one pairing check --holds--> aggregate
 *                                    \--fails--> groups: blinded sum, bisection --> good ones --> their aggregate
 *
 * The sum is unblinded, since it is what the batch carries: it does not prove the single shares. A blinded sum costs a group check and two
 * multiplications of each member, so groups are small: more urgent work waits for one group at most.
 */
import type { ShareRequest, ShareSum } from '@slipstream/ports';
import { BLS_SIGNATURE_BYTES, BLS_UNCOMPRESSED_KEY_BYTES } from '@slipstream/types';
import { type BatchAnswers, checkBatch, type DecodedStatement } from './batch-check.ts';
import {
  decodeSignatureUnchecked,
  isIdentityKey,
  mayEncodeSignature,
  sumEncodedKeys,
  sumEncodedSignatures,
  verifyChecked,
} from './binding.ts';

export interface ShareAnswers extends ShareSum {
  /** Pairing checks, the first included. */
  readonly checks: number;
}

/** Beside their 16, the pairing is a fifth of a check. */
const GROUP_MEMBERS = 16;

/** `pause` precedes each sum and each check after the first, none of which is of more than GROUP_MEMBERS shares but for the last sum. */
export function sumShares({ message, shares }: ShareRequest, pause: () => void): ShareAnswers {
  const all = shares.map(() => true);
  if (shares.length === 0) return { aggregate: undefined, good: all, checks: 0 };
  const whole = sumOf(shares);
  if (whole !== undefined && verifyChecked(message, whole.publicKey, whole.signature)) {
    return { aggregate: new Uint8Array(whole.signature.toBytes(true)), good: all, checks: 1 };
  }
  const statements = shares.map((share) => {
    pause();
    return statementOf(message, share);
  });
  const { valid, checks } = checkGroups(statements, pause);
  pause();
  const sum = sumOf(shares.filter((_, i) => valid[i] === true));
  if (sum === undefined) return { aggregate: undefined, good: shares.map(() => false), checks: 1 + checks };
  return { aggregate: new Uint8Array(sum.signature.toBytes(true)), good: valid, checks: 1 + checks };
}

function checkGroups(statements: readonly (DecodedStatement | undefined)[], pause: () => void): BatchAnswers {
  const valid: boolean[] = [];
  let checks = 0;
  for (let at = 0; at < statements.length; at += GROUP_MEMBERS) {
    pause();
    const answers = checkBatch(statements.slice(at, at + GROUP_MEMBERS), pause);
    valid.push(...answers.valid);
    checks += answers.checks;
  }
  return { valid, checks };
}

/** Undefined: there is none, one is no point, or the keys cancel. */
function sumOf(shares: ShareRequest['shares']) {
  const encoded = shares.map(({ signature }) => signature);
  if (encoded.length === 0 || !encoded.every((bytes) => mayEncodeSignature(bytes, BLS_SIGNATURE_BYTES))) {
    return undefined;
  }
  const publicKey = sumEncodedKeys(shares.flatMap(({ keys }) => eachKey(keys)));
  const signature = sumEncodedSignatures(encoded);
  if (publicKey === undefined || signature === undefined || isIdentityKey(publicKey)) return undefined;
  return { publicKey, signature };
}

/** Undefined: false without a pairing. */
function statementOf(message: Uint8Array, { keys, signature: encoded }: ShareRequest['shares'][number]) {
  const signature = decodeSignatureUnchecked(encoded, BLS_SIGNATURE_BYTES);
  const publicKey = signature && sumEncodedKeys(eachKey(keys));
  if (signature === undefined || publicKey === undefined || isIdentityKey(publicKey)) return undefined;
  const statement: DecodedStatement = { message, publicKey, encoded, signature };
  return statement;
}

function eachKey(keys: Uint8Array): Uint8Array[] {
  const encoded: Uint8Array[] = [];
  for (let at = 0; at < keys.length; at += BLS_UNCOMPRESSED_KEY_BYTES) {
    encoded.push(keys.subarray(at, at + BLS_UNCOMPRESSED_KEY_BYTES));
  }
  return encoded;
}
