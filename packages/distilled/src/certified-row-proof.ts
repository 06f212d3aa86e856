/**
 * Certified row proofs: a quorum certified what became of a row, checked with the genesis file alone. Runs in browsers.
 *
 *   row, outcome --row proof--> batchesRoot(h) --preimage--> digest(h) --preimages--> digest(h') --state certificate--> committee
 */
import { ContainerType, createCodec, fail, ListCompositeType, ok, type Result } from '@slipstream/primitives';
import {
  type CertificateWire,
  type CertifiedCommittee,
  type CertifiedState,
  certificateToWire,
  certificateType,
  checkCertifiedState,
  type DigestPreimageWire,
  digestPreimageType,
  type GenesisHash,
  PROOF_PREIMAGES_MAX,
  type ProofFault,
  type ProofSignature,
  preimageFromWire,
  preimageToWire,
  stateCertificateFromWire,
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

interface CertifiedRowProofWire {
  readonly proof: RowProofWire;
  readonly preimages: readonly DigestPreimageWire[];
  readonly certificate: CertificateWire;
}

const certifiedRowProofType = new ContainerType({
  proof: rowProofType,
  preimages: new ListCompositeType(digestPreimageType, PROOF_PREIMAGES_MAX),
  certificate: certificateType,
});

export const certifiedRowProofCodec = createCodec<CertifiedRowProof, CertifiedRowProofWire>(
  'certified row proof',
  certifiedRowProofType,
  certifiedRowProofType.maxSize,
  {
    toWire: ({ proof, preimages, certificate }) => ({
      proof: rowProofToWire(proof),
      preimages: preimages.map(preimageToWire),
      certificate: certificateToWire(certificate),
    }),
    fromWire: ({ proof, preimages, certificate }) => ({
      proof: rowProofFromWire(proof),
      preimages: preimages.map(preimageFromWire),
      certificate: stateCertificateFromWire(certificate),
    }),
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
