/**
 * Verifies offline what keys of the state hold, with the genesis file and the handovers from it to the proof's epoch.
 *
 *   form         the proof is canonical; its JSON equals its serialization
 *   epochs       handovers lead from the genesis file to the committee of the certificate's epoch
 *   keys         the proof is of the keys that were asked for, in their order
 *   height       it is not below the height that the caller knows of
 *   value        it shows a value where it has one, and none where it has none
 *   path         each path leads to the state root
 *   digests, certificate, quorum: as for receipts
 *   claims       what else the answer says is what the proof shows
 *   signature    as for receipts
 *
 * Each step relies on the ones before, so the first failure ends them. They cover every bit of the proof.
 */
import { bytesEqual, fail, fromHex, ok, type Result, to0x } from '@slipstream/primitives';
import { checkStateProof, type PathFault, type StateProof, stateProofCodec } from '@slipstream/state-tree/proofs';
import type { CertifiedCommittee, ProofFault } from '@slipstream/types';
import {
  committeeOfEpoch,
  committeeText,
  FALSE_AGGREGATE,
  STATE_FAULTS,
  signatureText,
  stateTexts,
  trustText,
} from './certified-state.ts';
import { committeesOf, type EpochCommittees } from './epochs/committees.ts';
import { type Rejection, type Step, stepsOf } from './proof-steps.ts';
import { falseStateClaim, type ReadStateProof, readStateProof } from './read-state-proof.ts';
import { readStateEntry, type StateEntry } from './state-entry.ts';

const STATE_PROOF_STEPS = [
  ...(['genesis', 'form', 'epochs', 'keys', 'height', 'value', 'path'] as const),
  ...(['digests', 'certificate', 'quorum', 'claims', 'signature'] as const),
] as const;
type StateProofStepName = (typeof STATE_PROOF_STEPS)[number];

export type StateProofStep = Step<StateProofStepName>;

export interface VerifiedState {
  readonly height: number;
  /** In the order of the keys. */
  readonly entries: readonly StateEntry[];
  /** Of the keys; undefined: absent. */
  readonly values: readonly (Uint8Array | undefined)[];
  readonly proof: StateProof;
  readonly genesisHash: string;
  readonly steps: readonly StateProofStep[];
}

export type StateProofRejection = Rejection<StateProofStepName>;

interface StateProofOptions {
  /** A proof of a lower height is refused: it is true, and of an older state than the caller knows. */
  readonly heightMin?: number;
}

/**
 * `proof`: serialized bytes, their 0x text, the JSON of POST /v1/state/proofs, or the answer of an account, its data or a session with
 * `proof=true`, which must agree with its proof. `chain`: the genesis file's JSON, or committees followed from it. `keys`: bytes, or 0x and
 * hexadecimal, as `stateKeys` makes them. Without them any keys pass, and the caller must compare. A proof says when, not that nothing came after.
 */
export function verifyStateProof(
  proof: unknown,
  chain: unknown,
  keys?: readonly (Uint8Array | string)[],
  options: StateProofOptions = {},
): Result<VerifiedState, StateProofRejection> {
  const committees = committeesOf(chain);
  if (!committees.ok) return rejected('genesis', committees.error, []);
  const passed = [trustText(committees.value)];
  const read = readStateProof(proof);
  if (!read.ok) return rejected('form', read.error, passed);
  passed.push(`a canonical proof of ${stateProofCodec.encode(read.value.proof).length} bytes`);
  const { epoch } = read.value.proof.certificate.subject;
  const committee = committeeOfEpoch(committees.value, epoch, read.value.epochs);
  if (!committee.ok) return rejected('epochs', committee.error, passed);
  passed.push(committeeText(committee.value));
  const wrong = wrongRequest(read.value.proof, keys, options);
  if (wrong !== undefined)
    return rejected(wrong.step, wrong.message, [...passed, ...describe(read.value, committee.value)]);
  return verifyRead(read.value, committees.value, committee.value, passed);
}

function wrongRequest(
  { entries, preimages }: StateProof,
  keys: readonly (Uint8Array | string)[] | undefined,
  { heightMin = 0 }: StateProofOptions,
): Pick<StateProofRejection, 'step' | 'message'> | undefined {
  const asked = keys?.map((key) => (typeof key === 'string' ? fromHex(key.replace(/^0x/, '').toLowerCase()) : key));
  const at = asked?.findIndex((key, i) => entries[i] === undefined || !bytesEqual(key, entries[i].key)) ?? -1;
  if (at >= 0) {
    const message = `it is not of the key that was asked for: ${to0x(asked?.[at] ?? new Uint8Array(0))}`;
    return { step: 'keys', message };
  }
  if (asked !== undefined && asked.length !== entries.length)
    return { step: 'keys', message: `it is of ${entries.length} keys, not of the ${asked.length} that were asked for` };
  const height = preimages[0]?.height ?? 0;
  if (height >= heightMin) return undefined;
  return { step: 'height', message: `it is of height ${height}, and height ${heightMin} is known: it is too old` };
}

function verifyRead(
  read: ReadStateProof,
  committees: EpochCommittees,
  committee: CertifiedCommittee,
  passed: readonly string[],
): Result<VerifiedState, StateProofRejection> {
  const { genesisHash } = committees;
  const { proof, answer } = read;
  const checked = checkStateProof(proof, genesisHash, committee);
  const texts = [...passed, ...describe(read, committee)];
  if (!checked.ok) {
    const { fault, entry } = checked.error;
    const of = entry === undefined ? '' : `key ${to0x(proof.entries[entry]?.key ?? new Uint8Array(0))}: `;
    return rejected(STEP_OF_FAULT[fault], `${of}${FAULTS[fault]}`, texts);
  }
  const height = proof.preimages[0]?.height as number;
  const entries: StateEntry[] = [];
  for (const { key, value } of proof.entries) {
    const entry = readStateEntry(key, value);
    if (!entry.ok) return rejected('claims', `key ${to0x(key)}: ${entry.error}`, texts);
    entries.push(entry.value);
  }
  const claim = answer && falseStateClaim(answer, entries[0] as StateEntry, height);
  if (claim !== undefined) return rejected('claims', `${claim} is not what the proof shows`, texts);
  if (!committees.aggregateHolds(checked.value)) return rejected('signature', FALSE_AGGREGATE, texts);
  return ok({
    height,
    entries,
    values: proof.entries.map(({ value }) => value),
    proof,
    genesisHash: to0x(genesisHash),
    steps: stepsOf(STATE_PROOF_STEPS, [...texts, signatureText(checked.value)]),
  });
}

const STEP_OF_FAULT: Readonly<Record<PathFault | ProofFault, StateProofStepName>> = {
  form: 'value',
  value: 'value',
  path: 'path',
  height: 'digests',
  chain: 'digests',
  digest: 'certificate',
  quorum: 'quorum',
};

const FAULTS: Readonly<Record<PathFault | ProofFault, string>> = {
  form: 'no tree has such a path',
  value: 'the path is of a value where the proof has none, or of none where it has one',
  path: 'the path does not lead from this value to the state root',
  height: 'the heights differ',
  ...STATE_FAULTS,
};

/** Of keys, height, value, path, the certified state and claims, in order; valid only for passed steps. */
function describe(
  { proof: { entries, preimages, certificate }, answer }: ReadStateProof,
  committee: CertifiedCommittee,
): readonly string[] {
  const present = entries.filter(({ value }) => value !== undefined).length;
  const depths = entries.map(({ path }) => path.siblings.length);
  const [first] = preimages;
  return [
    entries.length === 1 ? to0x(entries[0]?.key ?? new Uint8Array(0)) : `${entries.length} keys`,
    `height ${first?.height}`,
    `${present} present, ${entries.length - present} absent`,
    `depth ${Math.max(...depths)}, up to ${to0x(first?.stateRoot ?? new Uint8Array(0))}`,
    ...stateTexts({ preimages, certificate }, committee),
    answer === undefined ? 'nothing but the proof' : 'the answer around it',
  ];
}

function rejected(
  step: StateProofStepName,
  message: string,
  details: readonly string[],
): Result<VerifiedState, StateProofRejection> {
  return fail({ step, message, steps: stepsOf(STATE_PROOF_STEPS, details, { step, message }) });
}
