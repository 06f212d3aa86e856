/**
 * Inclusion proofs: a quorum of the committee certified a receipt, checked with the genesis file alone.
 *
 *   receipt --Merkle path--> receiptsRoot(h) --preimage--> digest(h) --preimages--> digest(h') --state certificate--> committee
 *
 * Structure and hashes are checked here; the caller checks the signature (crypto in a node, crypto/browser elsewhere).
 */
import {
  ByteListType,
  bytesEqual,
  ContainerType,
  createCodec,
  fail,
  ListCompositeType,
  ok,
  type Result,
} from '@slipstream/primitives';
import {
  type CertificateWire,
  certificateToWire,
  certificateType,
  hasQuorumOfSigners,
  type StateCertificate,
  stateCertificateFromWire,
} from './certificate.ts';
import type { CertifiedCommittee } from './committee.ts';
import {
  type DigestPreimage,
  type DigestPreimageWire,
  digestPreimageType,
  preimageFromWire,
  preimageToWire,
  stateDigestOf,
} from './digest.ts';
import type { Epoch, GenesisHash } from './ids.ts';
import { MERKLE_PATH_MAX, verifyMerklePath } from './merkle.ts';
import { RECEIPT_BYTES_MAX, type Receipt, receiptCodec } from './receipt.ts';
import { subjectMessage } from './subject.ts';
import { bytes32 } from './subject-wire.ts';

/** From a block to its proving state certificate. */
export const PROOF_PREIMAGES_MAX = 1024;

/** A block's digest, and what certifies it. */
export interface CertifiedState {
  /** From the block up to the certified one. */
  readonly preimages: readonly DigestPreimage[];
  readonly certificate: StateCertificate;
}

export interface CertifiedStateWire {
  readonly preimages: readonly DigestPreimageWire[];
  readonly certificate: CertificateWire;
}

/** The last fields of every proof. */
export const certifiedStateFields = {
  preimages: new ListCompositeType(digestPreimageType, PROOF_PREIMAGES_MAX),
  certificate: certificateType,
} as const;

export function certifiedStateToWire({ preimages, certificate }: CertifiedState): CertifiedStateWire {
  return { preimages: preimages.map(preimageToWire), certificate: certificateToWire(certificate) };
}

/** Throws for a certificate of another kind. */
export function certifiedStateFromWire({ preimages, certificate }: CertifiedStateWire): CertifiedState {
  return { preimages: preimages.map(preimageFromWire), certificate: stateCertificateFromWire(certificate) };
}

/** The preimages begin at the receipt's block. */
export interface InclusionProof extends CertifiedState {
  readonly receipt: Receipt;
  readonly path: readonly Uint8Array[];
}

interface InclusionProofWire extends CertifiedStateWire {
  readonly receipt: Uint8Array;
  readonly path: readonly Uint8Array[];
}

const proofType = new ContainerType({
  receipt: new ByteListType(RECEIPT_BYTES_MAX),
  path: new ListCompositeType(bytes32, MERKLE_PATH_MAX),
  ...certifiedStateFields,
});

const INCLUSION_PROOF_BYTES_MAX = proofType.maxSize;

function receiptFromBytes(bytes: Uint8Array): Receipt {
  const decoded = receiptCodec.decode(bytes);
  if (!decoded.ok) throw new RangeError(decoded.error.message);
  return decoded.value;
}

export const inclusionProofCodec = createCodec<InclusionProof, InclusionProofWire>(
  'inclusion proof',
  proofType,
  INCLUSION_PROOF_BYTES_MAX,
  {
    toWire: (proof) => ({
      receipt: receiptCodec.encode(proof.receipt),
      path: proof.path,
      ...certifiedStateToWire(proof),
    }),
    fromWire: (wire) => ({
      receipt: receiptFromBytes(wire.receipt),
      path: wire.path,
      ...certifiedStateFromWire(wire),
    }),
  },
);

export type ProofFault =
  | 'path' // the receipt is not in the tree
  | 'height' // receipt and preimage differ in height
  | 'chain' // the digests are not linked
  | 'digest' // the certificate is for another digest, block or height
  | 'quorum'; // the signers are no quorum of the committee

export interface ProofSignature {
  readonly epoch: Epoch;
  readonly message: Uint8Array;
  readonly signers: readonly number[];
  readonly aggregate: Uint8Array;
}

/** Returns the signature that must hold. */
export function checkProofStructure(
  proof: InclusionProof,
  genesisHash: GenesisHash,
  committee: CertifiedCommittee,
): Result<ProofSignature, ProofFault> {
  const { receipt, path, preimages } = proof;
  const first = preimages[0];
  if (first === undefined) return fail('chain');
  if (receipt.height !== first.height) return fail('height');
  const leaf = receiptCodec.encode(receipt);
  if (!verifyMerklePath(leaf, receipt.index, first.transactionCount, path, first.receiptsRoot)) return fail('path');
  return checkCertifiedState(proof, genesisHash, committee);
}

/** Returns the signature that must hold for the first preimage. */
export function checkCertifiedState(
  { preimages, certificate }: CertifiedState,
  genesisHash: GenesisHash,
  committee: CertifiedCommittee,
): Result<ProofSignature, ProofFault> {
  const first = preimages[0];
  if (first === undefined) return fail('chain');
  let digest = stateDigestOf(genesisHash, first);
  let last = first;
  for (const next of preimages.slice(1)) {
    if (next.height !== last.height + 1 || !bytesEqual(next.parentDigest, digest)) return fail('chain');
    digest = stateDigestOf(genesisHash, next);
    last = next;
  }
  const { subject } = certificate;
  const sameBlock = subject.height === last.height && bytesEqual(subject.blockId, last.blockId);
  if (!sameBlock || !bytesEqual(subject.stateDigest, digest)) return fail('digest');
  if (!hasQuorumOfSigners(certificate, committee)) return fail('quorum');
  return ok({
    epoch: subject.epoch,
    message: subjectMessage(genesisHash, subject),
    signers: certificate.signers,
    aggregate: certificate.aggregate,
  });
}
