/**
 * Verifies a proof offline, with the genesis file and the handovers from it to the proof's epoch.
 *
 *   form         the proof is canonical; its JSON equals its serialization
 *   epochs       handovers lead from the genesis file to the committee of the certificate's epoch
 *   receipt      the receipt is of the requested transaction, and a leaf of the block's receipts tree
 *   digests      the state digests form a chain from the block to the certified digest
 *   certificate  the certificate is for exactly that digest, block and height
 *   quorum       the signers weigh more than two thirds of that committee
 *   signature    the aggregate signature is valid
 *
 * Each step relies on the ones before, so the first failure ends them. They cover every bit of the proof.
 */
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import { proofToJson } from '@slipstream/schema';
import {
  type CertifiedCommittee,
  checkProofStructure,
  type InclusionProof,
  type ProofFault,
  type Receipt,
} from '@slipstream/types';
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
import { readProof } from './read-proof.ts';

const PROOF_STEPS = ['genesis', 'form', 'epochs', 'receipt', 'digests', 'certificate', 'quorum', 'signature'] as const;
type ProofStepName = (typeof PROOF_STEPS)[number];

export type ProofStep = Step<ProofStepName>;

interface VerifiedProof {
  readonly receipt: Receipt;
  readonly proof: InclusionProof;
  readonly genesisHash: string;
  readonly steps: readonly ProofStep[];
}

type ProofRejection = Rejection<ProofStepName>;

/**
 * `proof`: serialized bytes, their 0x text, the JSON of GET /v1/transactions/{id}/proof, or a route's whole answer with one (other fields
 * must agree), with the handovers of its field `epochs`. `chain`: the genesis file's JSON, or committees followed from it. `transactionId`: 0x and hexadecimal. Without it any transaction's proof passes and the caller
 * must compare: a lying node can give a valid proof of another one. Failed transactions have proofs too: check the receipt's outcome.
 */
export function verifyProof(
  proof: unknown,
  chain: unknown,
  transactionId?: string,
): Result<VerifiedProof, ProofRejection> {
  const committees = committeesOf(chain);
  if (!committees.ok) return rejected('genesis', committees.error, []);
  return verifyWithCommittees(proof, committees.value, transactionId);
}

function verifyWithCommittees(
  input: unknown,
  committees: EpochCommittees,
  transactionId: string | undefined,
): Result<VerifiedProof, ProofRejection> {
  const { genesisHash } = committees;
  const passed: string[] = [trustText(committees)];
  const read = readProof(input);
  if (!read.ok) return rejected('form', read.error, passed);
  const { proof, epochs } = read.value;
  passed.push(`a canonical proof of ${proofToJson(proof).ssz.length / 2 - 1} bytes`);
  const { epoch } = proof.certificate.subject;
  const followed = committeeOfEpoch(committees, epoch, epochs);
  if (!followed.ok) return rejected('epochs', followed.error, passed);
  const committee = followed.value;
  passed.push(committeeText(committee));
  const provenId = to0x(proof.receipt.transactionId);
  if (transactionId !== undefined && transactionId.toLowerCase() !== provenId) {
    return rejected('receipt', `it is of transaction ${provenId}, not of the one that was asked about`, passed);
  }
  const structure = checkProofStructure(proof, genesisHash, committee);
  const details = describe(proof, committee);
  if (!structure.ok) {
    const step = proof.preimages.length === 0 ? 'receipt' : STEP_OF_FAULT[structure.error];
    return rejected(step, FAULTS[structure.error], [...passed, ...details]);
  }
  passed.push(...details);
  if (!committees.aggregateHolds(structure.value)) return rejected('signature', FALSE_AGGREGATE, passed);
  passed.push(signatureText(structure.value));
  return ok({ receipt: proof.receipt, proof, genesisHash: to0x(genesisHash), steps: stepsOf(PROOF_STEPS, passed) });
}

const STEP_OF_FAULT: Readonly<Record<ProofFault, ProofStepName>> = {
  path: 'receipt',
  height: 'receipt',
  chain: 'digests',
  digest: 'certificate',
  quorum: 'quorum',
};

const FAULTS: Readonly<Record<ProofFault, string>> = {
  path: 'the path does not lead from this receipt to the receipts root',
  height: 'the receipt names another height than its block',
  ...STATE_FAULTS,
};

/** Of each structural step, in order; valid only for passed steps. */
function describe(
  { receipt, path, preimages, certificate }: InclusionProof,
  committee: CertifiedCommittee,
): readonly string[] {
  const first = preimages[0];
  if (first === undefined) return [];
  return [
    `receipt ${receipt.index + 1} of ${first.transactionCount}, ${path.length} hashes up to ${to0x(first.receiptsRoot)}`,
    ...stateTexts({ preimages, certificate }, committee),
  ];
}

function rejected(
  step: ProofStepName,
  message: string,
  details: readonly string[],
): Result<VerifiedProof, ProofRejection> {
  return fail({ step, message, steps: stepsOf(PROOF_STEPS, details, { step, message }) });
}
