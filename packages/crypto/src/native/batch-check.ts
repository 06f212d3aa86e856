/**
 * Batches: many BLS statements in few pairings; bisection if they fail.
 *
 *   statements --same message--> one blinded sum of keys and signatures each --\
 *              \--others-----------------------------------------------------> one multi-pairing with random coefficients
 *                                                                                 \--bad--> bisect, every group blinded
 *
 * - Every test is blinded, since each statement is answered for itself (S23). A statement that is alone needs no coefficient.
 * - Statements of one key take the multi-pairing. Their own form, one pairing of the key with the sum of the hashed messages, needs points
 *   that the binding does not give.
 */
import { findOffenders } from '../offenders.ts';
import {
  type BlsPublicKey,
  type BlsSignature,
  blindedSum,
  type SignedStatement,
  verifyAll,
  verifyChecked,
} from './binding.ts';

export interface DecodedStatement {
  readonly message: Uint8Array;
  readonly publicKey: BlsPublicKey;
  readonly encoded: Uint8Array;
  /** Of `encoded`; perhaps outside the group. */
  readonly signature: BlsSignature;
}

export interface BatchAnswers {
  /** In order. */
  readonly valid: readonly boolean[];
  /** Pairing checks, the first included. */
  readonly checks: number;
}

interface Member extends DecodedStatement {
  readonly at: number;
}

/** Undefined statements are false. `pause` precedes each check of a bisection, so that a thread can serve more urgent work. */
export function checkBatch(statements: readonly (DecodedStatement | undefined)[], pause: () => void): BatchAnswers {
  const members = statements.flatMap((statement, at): Member[] => (statement ? [{ ...statement, at }] : []));
  const valid = statements.map(() => false);
  if (members.length === 0) return { valid, checks: 0 };

  let checks = 1;
  if (allHold(members)) {
    for (const { at } of members) valid[at] = true;
    return { valid, checks };
  }
  const found = findOffenders([...members.keys()], {
    allValid(positions) {
      pause();
      checks++;
      return allHold(positions.map((position) => members[position] as Member));
    },
  });
  for (const position of found.valid) valid[(members[position] as Member).at] = true;
  return { valid, checks };
}

/** True proves each member, except for 2^-64 for each sum and for the multi-pairing. */
function allHold(members: readonly Member[]): boolean {
  const sums: SignedStatement[] = [];
  for (const group of byMessage(members)) {
    const sum = sumOf(group);
    if (sum === undefined) return false;
    sums.push(sum);
  }
  const [only, second] = sums;
  if (only === undefined) return true;
  return second === undefined ? verifyChecked(only.msg, only.pk, only.sig) : verifyAll(sums);
}

function byMessage(members: readonly Member[]): Iterable<readonly Member[]> {
  const groups = new Map<string, Member[]>();
  for (const member of members) {
    const name = String.fromCharCode(...member.message);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [member]);
    else group.push(member);
  }
  return groups.values();
}

/** Undefined: one of several is outside the group. */
function sumOf(group: readonly Member[]): SignedStatement | undefined {
  const { message, publicKey, signature } = group[0] as Member;
  if (group.length === 1) return { msg: message, pk: publicKey, sig: signature };
  const sum = blindedSum(group.map(({ publicKey: pk, encoded: sig }) => ({ pk, sig })));
  return sum && { msg: message, pk: sum.publicKey, sig: sum.signature };
}
