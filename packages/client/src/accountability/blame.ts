/**
 * Names the validators that made a fork, with the genesis file and the handovers from it (rules S20 to S22).
 *
 *   material of two sides --> certificates that contradict each other --> signers of both: more than a third of the weight
 *                                   \--none--> what is missing, where the sides fork; or that they agree
 */
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import { type CertificateJson, certificateToJson } from '@slipstream/schema';
import { type CertifiedCommittee, weightOf } from '@slipstream/types';
import { committeesOf } from '../epochs/committees.ts';
import { type BrokenRule, type Contradiction, findContradictions } from './contradictions.ts';
import { findMissing } from './fork.ts';
import { createJudge, type Judge } from './judge.ts';
import { type Material, readMaterial } from './material.ts';

interface Culprit {
  readonly index: number;
  readonly weight: number;
  /** BLS12-381, compressed, 0x and hexadecimal. */
  readonly publicKey: string;
}

/** Two certificates whose common signers broke a rule of docs/protocol. Each names its signers and verifies alone. */
interface BlamedPair {
  readonly rule: BrokenRule;
  readonly first: CertificateJson;
  readonly second: CertificateJson;
  /** Committee indices. */
  readonly culprits: readonly number[];
}

export interface Blame {
  readonly genesisHash: string;
  /** The first with a contradiction: whose committee the culprits are of. */
  readonly epoch: number;
  readonly culprits: readonly Culprit[];
  /** Of all culprits: more than a third of `totalWeight`. */
  readonly weight: number;
  readonly totalWeight: number;
  readonly pairs: readonly BlamedPair[];
}

export interface BlameRefusal {
  /**
   * genesis, malformed: not to be read; forged: a certificate does not hold; no-conflict: an honest validator may sign all of it;
   * incomplete: certificates or blocks are missing.
   */
  readonly reason: 'genesis' | 'malformed' | 'forged' | 'no-conflict' | 'incomplete';
  readonly message: string;
  /** What is missing, in words. */
  readonly needed: readonly string[];
}

/**
 * `first`, `second`: a certificate, a proof, a node's answer with one, or a list of these, of blocks, and of records of a log (material.ts).
 * `chain`: the genesis file's JSON, or committees followed from it. Blames no honest validator, whatever the weight of the others.
 */
export function blame(first: unknown, second: unknown, chain: unknown): Result<Blame, BlameRefusal> {
  const committees = committeesOf(chain);
  if (!committees.ok) return refused('genesis', `no genesis file: ${committees.error}`);
  const [a, b] = [readMaterial(first), readMaterial(second)];
  if (!a.ok) return refused('malformed', `the first: ${a.error}`);
  if (!b.ok) return refused('malformed', `the second: ${b.error}`);
  const judge = createJudge(committees.value);
  const found = findContradictions([...a.value.certificates, ...b.value.certificates], judge);
  const epoch = Math.min(...found.map(({ first }) => first.subject.epoch));
  const committee = committees.value.of(epoch);
  if (committee === undefined) return fail(refusalOf(a.value, b.value, judge));
  const ofEpoch = found.filter(({ first }) => first.subject.epoch === epoch);
  return ok({ genesisHash: to0x(committees.value.genesisHash), ...blameOf(ofEpoch, committee) });
}

/** What follows a fork is of two chains, each with committees of its own: only its first epoch says who made it. */
function blameOf(contradictions: readonly Contradiction[], committee: CertifiedCommittee): Omit<Blame, 'genesisHash'> {
  const blamed = new Set(contradictions.flatMap(({ culprits }) => culprits));
  const culprits = committee.members
    .map(({ weight, blsPublicKey }, index) => ({ index, weight, publicKey: to0x(blsPublicKey) }))
    .filter(({ index }) => blamed.has(index));
  const pairs = contradictions.map(({ rule, first, second, culprits }) => ({
    rule,
    first: certificateToJson(first),
    second: certificateToJson(second),
    culprits,
  }));
  const { epoch } = committee;
  return { epoch, culprits, weight: weightOf(blamed, committee), totalWeight: committee.totalWeight, pairs };
}

function refusalOf(first: Material, second: Material, judge: Judge): BlameRefusal {
  const missing = findMissing(first, second, judge);
  const [forged] = judge.forged;
  if (missing?.isFork !== true && forged !== undefined) return { reason: 'forged', message: forged, needed: [] };
  if (missing === undefined) return { reason: 'no-conflict', message: AGREE, needed: [] };
  const passedOver = forged === undefined ? '' : `; passed over: ${forged}`;
  return { reason: 'incomplete', message: `${missing.message}${passedOver}`, needed: missing.needed };
}

const AGREE = 'an honest validator may sign all that these certificates say';

function refused(reason: BlameRefusal['reason'], message: string): Result<never, BlameRefusal> {
  return fail({ reason, message, needed: [] });
}
