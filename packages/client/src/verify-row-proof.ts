/**
 * Verifies offline what became of a row of a distilled batch, with the genesis file and the handovers from it to the proof's epoch (Z12).
 *
 *   form         the proof is canonical
 *   epochs       handovers lead from the genesis file to the committee of the certificate's epoch
 *   batch        the batch is of the block, and the row id names it and one of its rows
 *   row          the row is at that position under the header that its signers signed
 *   outcome      the outcome is at that position among those of the batch
 *   digests, certificate, quorum: as for receipts
 *   claims       what else the answer says of the row is what the proof shows
 *   signature    as for receipts
 *
 * Each step relies on the ones before, so the first failure ends them. They cover every bit of the proof.
 */
import {
  batchIdOf,
  type CertifiedRowProof,
  certifiedRowProofCodec,
  checkCertifiedRowProof,
  type ProvenRow,
  positionIn,
  type RowProofFault,
} from '@slipstream/distilled';
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import type { CertifiedCommittee, GenesisHash, Height, ProofFault } from '@slipstream/types';
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
import { falseClaim, type ReadRowProof, readRowProof } from './read-row-proof.ts';

const ROW_PROOF_STEPS = [
  ...(['genesis', 'form', 'epochs', 'batch', 'row', 'outcome'] as const),
  ...(['digests', 'certificate', 'quorum', 'claims', 'signature'] as const),
] as const;
type RowProofStepName = (typeof ROW_PROOF_STEPS)[number];

export type RowProofStep = Step<RowProofStepName>;

interface VerifiedRow extends ProvenRow {
  /** 0x and hexadecimal. */
  readonly rowId: string;
  readonly batchId: Uint8Array;
  readonly position: number;
  readonly height: Height;
  readonly proof: CertifiedRowProof;
  readonly genesisHash: string;
  readonly steps: readonly RowProofStep[];
}

type RowProofRejection = Rejection<RowProofStepName>;

/**
 * `proof`: serialized bytes, their 0x text, the JSON of GET /v1/transactions/{row id}/proof, or an object with it in `proof` and fields of
 * the row's answer, which must agree. `chain`: the genesis file's JSON, or committees followed from it. `rowId`: 0x and hexadecimal; without
 * it any row's JSON passes and the caller must compare. Failed and skipped rows have proofs too: check the outcome. The fee of a charged row
 * is one of the leaf's two. Accounts behind the indices are proven by the directory.
 */
export function verifyRowProof(proof: unknown, chain: unknown, rowId?: string): Result<VerifiedRow, RowProofRejection> {
  const committees = committeesOf(chain);
  if (!committees.ok) return rejected('genesis', committees.error, []);
  const passed = [trustText(committees.value)];
  const read = readRowProof(proof, rowId);
  if (!read.ok) return rejected('form', read.error, passed);
  passed.push(`a canonical proof of ${certifiedRowProofCodec.encode(read.value.proof).length} bytes`);
  const { epoch } = read.value.proof.certificate.subject;
  const committee = committeeOfEpoch(committees.value, epoch, read.value.epochs);
  if (!committee.ok) return rejected('epochs', committee.error, passed);
  passed.push(committeeText(committee.value));
  return verifyRead(read.value, committees.value, committee.value, passed);
}

function verifyRead(
  read: ReadRowProof,
  committees: EpochCommittees,
  committee: CertifiedCommittee,
  passed: readonly string[],
): Result<VerifiedRow, RowProofRejection> {
  const { genesisHash } = committees;
  const { proof, rowId } = read;
  const checked = checkCertifiedRowProof(proof, { genesisHash, rowId }, committee);
  const texts = [...passed, ...describe(read, genesisHash, committee)];
  if (!checked.ok) return rejected(STEP_OF_FAULT[checked.error], FAULTS[checked.error], texts);
  const { proven, signature } = checked.value;
  const batchId = batchIdOf(genesisHash, proven.leaf.header);
  const position = positionIn(batchId, rowId) as number;
  const claim = falseClaim(read, proven, { batchId, position });
  if (claim !== undefined) return rejected('claims', `${claim} is not what the proof shows`, texts);
  if (!committees.aggregateHolds(signature)) return rejected('signature', FALSE_AGGREGATE, texts);
  return ok({
    ...proven,
    rowId: to0x(rowId),
    batchId,
    position,
    height: proof.preimages[0]?.height as Height,
    proof,
    genesisHash: to0x(genesisHash),
    steps: stepsOf(ROW_PROOF_STEPS, [...texts, signatureText(signature)]),
  });
}

const STEP_OF_FAULT: Readonly<Record<RowProofFault | ProofFault, RowProofStepName>> = {
  batch: 'batch',
  id: 'batch',
  row: 'row',
  outcome: 'outcome',
  path: 'batch',
  height: 'batch',
  chain: 'digests',
  digest: 'certificate',
  quorum: 'quorum',
};

const FAULTS: Readonly<Record<RowProofFault | ProofFault, string>> = {
  batch: 'the batch is not in the tree of batches of its block',
  id: 'the row id names another batch, or a position beyond its rows',
  row: 'the rows are not under the root of the batch at this position',
  outcome: 'the outcomes are not under the root of the batch at this position, or it is none of a row',
  path: 'the path does not lead to the root',
  height: 'the heights differ',
  ...STATE_FAULTS,
};

/** Of batch, row, outcome, the certified state and claims, in order; valid only for passed steps. */
function describe(
  { proof: { proof, preimages, certificate }, json, answer }: ReadRowProof,
  genesisHash: GenesisHash,
  committee: CertifiedCommittee,
): readonly string[] {
  const { leaf, index, path } = proof.batch;
  const batches = preimages[0]?.distilled?.batches ?? 0;
  const said = [json && 'the JSON of the proof', answer && 'the answer around it'].filter((text) => text !== undefined);
  return [
    `batch ${index + 1} of ${batches}, ${path.length} hashes; id ${to0x(batchIdOf(genesisHash, leaf.header))}`,
    `among ${leaf.header.rows} rows, ${proof.rowPath.length} hashes up to ${to0x(leaf.header.root)}`,
    `${proof.outcomes.path.length} hashes up to ${to0x(leaf.outcomesRoot)}`,
    ...stateTexts({ preimages, certificate }, committee),
    said.length === 0 ? 'nothing but the serialization' : said.join(', '),
  ];
}

function rejected(
  step: RowProofStepName,
  message: string,
  details: readonly string[],
): Result<VerifiedRow, RowProofRejection> {
  return fail({ step, message, steps: stepsOf(ROW_PROOF_STEPS, details, { step, message }) });
}
