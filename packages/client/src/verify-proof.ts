/**
 * Verifies a proof offline, with the genesis file alone.
 *
 *   form         the proof is canonical; its JSON equals its serialization
 *   receipt      the receipt is of the requested transaction, and a leaf of the block's receipts tree
 *   digests      the state digests form a chain from the block to the certified digest
 *   certificate  the certificate is for exactly that digest, block and height
 *   quorum       the signers weigh more than two thirds of the committee in the genesis file
 *   signature    the aggregate signature is valid
 *
 * Each step relies on the ones before, so the first failure ends them. They cover every bit of the proof.
 */
import { verifyCertificateAggregate } from '@slipstream/crypto/browser';
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import { proofToJson } from '@slipstream/schema';
import {
  type Committee,
  checkProofStructure,
  committeeOf,
  type Genesis,
  genesisFromJson,
  genesisHashOf,
  type InclusionProof,
  type ProofFault,
  type ProofSignature,
  type Receipt,
  weightOf,
} from '@slipstream/types';
import { readProof } from './read-proof.ts';

const PROOF_STEPS = ['genesis', 'form', 'receipt', 'digests', 'certificate', 'quorum', 'signature'] as const;
export type ProofStepName = (typeof PROOF_STEPS)[number];

export interface ProofStep {
  readonly name: ProofStepName;
  readonly outcome: 'passed' | 'failed' | 'not-reached';
  /** What was compared, or the error. */
  readonly detail: string;
}

interface VerifiedProof {
  readonly receipt: Receipt;
  readonly proof: InclusionProof;
  readonly genesisHash: string;
  readonly steps: readonly ProofStep[];
}

interface ProofRejection {
  readonly step: ProofStepName;
  readonly message: string;
  readonly steps: readonly ProofStep[];
}

/**
 * `proof`: serialized bytes, their 0x text, the JSON of GET /v1/transactions/{id}/proof, or a route's whole answer with one (other fields
 * must agree). `genesis`: the file's JSON. `transactionId`: 0x and hexadecimal. Without it any transaction's proof passes and the caller
 * must compare: a lying node can give a valid proof of another one. Failed transactions have proofs too: check the receipt's outcome.
 */
export function verifyProof(
  proof: unknown,
  genesis: unknown,
  transactionId?: string,
): Result<VerifiedProof, ProofRejection> {
  const parsedGenesis = genesisFromJson(genesis);
  if (!parsedGenesis.ok) return rejected('genesis', parsedGenesis.error.join('; '), []);
  return verifyWithGenesis(proof, parsedGenesis.value, transactionId);
}

function verifyWithGenesis(
  input: unknown,
  genesis: Genesis,
  transactionId: string | undefined,
): Result<VerifiedProof, ProofRejection> {
  const committee = committeeOf(genesis);
  const genesisHash = genesisHashOf(genesis);
  const passed: string[] = [`chain ${genesis.chain}, ${committee.members.length} validators, ${to0x(genesisHash)}`];
  const read = readProof(input);
  if (!read.ok) return rejected('form', read.error, passed);
  const proof = read.value;
  passed.push(`a canonical proof of ${proofToJson(proof).ssz.length / 2 - 1} bytes`);
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
  if (!signatureHolds(structure.value, committee)) {
    return rejected('signature', 'the aggregate is not a signature of these validators on this state', passed);
  }
  passed.push(`one aggregate of ${structure.value.signers.length} signatures over ${to0x(structure.value.message)}`);
  return ok({ receipt: proof.receipt, proof, genesisHash: to0x(genesisHash), steps: stepsOf(passed) });
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
  chain: 'the digests do not follow from one another',
  digest: 'the certificate is for another digest, block or height',
  quorum: 'the signers are not a quorum of the committee',
};

/** Of each structural step, in order; valid only for passed steps. */
function describe({ receipt, path, preimages, certificate }: InclusionProof, committee: Committee): readonly string[] {
  const first = preimages[0];
  if (first === undefined) return [];
  const { subject, signers } = certificate;
  return [
    `receipt ${receipt.index + 1} of ${first.transactionCount}, ${path.length} hashes up to ${to0x(first.receiptsRoot)}`,
    `${preimages.length} digest${preimages.length === 1 ? '' : 's'}, height ${first.height} to ${subject.height}`,
    `certified at height ${subject.height}, view ${subject.view}: ${to0x(subject.stateDigest)}`,
    `weight ${weightOf(signers, committee)} of ${committee.totalWeight}, more than two thirds`,
  ];
}

function signatureHolds({ message, signers, aggregate }: ProofSignature, committee: Committee): boolean {
  const publicKeys = signers.map((signer) => committee.members[signer]?.blsPublicKey ?? new Uint8Array(0));
  return verifyCertificateAggregate({ publicKeys, message, aggregate });
}

function rejected(
  step: ProofStepName,
  message: string,
  details: readonly string[],
): Result<VerifiedProof, ProofRejection> {
  return fail({ step, message, steps: stepsOf(details, { step, message }) });
}

function stepsOf(
  details: readonly string[],
  failure?: { readonly step: ProofStepName; readonly message: string },
): readonly ProofStep[] {
  const failedAt = failure === undefined ? PROOF_STEPS.length : PROOF_STEPS.indexOf(failure.step);
  return PROOF_STEPS.map((name, i) => {
    if (i < failedAt) return { name, outcome: 'passed', detail: details[i] ?? '' };
    if (i === failedAt && failure) return { name, outcome: 'failed', detail: failure.message };
    return { name, outcome: 'not-reached', detail: '' };
  });
}
