/**
 * Certified row proofs: a quorum certified what became of a row, checked with the genesis file alone. Runs in browsers.
 *
 *   row, outcome --row proof--> batchesRoot(h) --preimage--> digest(h) --preimages--> digest(h') --state certificate--> committee
 */
import { ContainerType, createCodec, fail, ok, type Result } from '@slipstream/primitives';
import {
  type CertifiedCommittee,
  type CertifiedState,
  type CertifiedStateWire,
  certifiedStateFields,
  certifiedStateFromWire,
  certifiedStateToWire,
  checkCertifiedState,
  type GenesisHash,
  type ProofFault,
  type ProofSignature,
} from '@slipstream/types';
import {
  checkRowProof,
  type ProvenRow,
  type RowProof,
  type RowProofFault,
  type RowProofWire,
  rowProofFromWire,
  rowProofToWire,
  rowProofType,
} from './row-proof.ts';

/** The preimages begin at the block of the batch. */
export interface CertifiedRowProof extends CertifiedState {
  readonly proof: RowProof;
}

interface CertifiedRowProofWire extends CertifiedStateWire {
  readonly proof: RowProofWire;
}

const certifiedRowProofType = new ContainerType({ proof: rowProofType, ...certifiedStateFields });

export const certifiedRowProofCodec = createCodec<CertifiedRowProof, CertifiedRowProofWire>(
  'certified row proof',
  certifiedRowProofType,
  certifiedRowProofType.maxSize,
  {
    toWire: ({ proof, ...state }) => ({ proof: rowProofToWire(proof), ...certifiedStateToWire(state) }),
    fromWire: ({ proof, ...state }) => ({ proof: rowProofFromWire(proof), ...certifiedStateFromWire(state) }),
  },
);

interface CertifiedRow {
  readonly proven: ProvenRow;
  /** That must hold. */
  readonly signature: ProofSignature;
}

/** A chain without distilled batches proves no row: `batch`. */
export function checkCertifiedRowProof(
  { proof, preimages, certificate }: CertifiedRowProof,
  { genesisHash, rowId }: { readonly genesisHash: GenesisHash; readonly rowId: Uint8Array },
  committee: CertifiedCommittee,
): Result<CertifiedRow, RowProofFault | ProofFault> {
  const roots = preimages[0]?.distilled;
  if (roots === undefined) return fail('batch');
  const { batchesRoot, batches } = roots;
  const proven = checkRowProof(proof, { genesisHash, rowId, batchesRoot, batches });
  if (!proven.ok) return proven;
  const signature = checkCertifiedState({ preimages, certificate }, genesisHash, committee);
  return signature.ok ? ok({ proven: proven.value, signature: signature.value }) : signature;
}
