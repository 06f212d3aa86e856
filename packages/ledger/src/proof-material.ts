/** The parts of an inclusion proof, and the proof (types/proof.ts). */
import {
  type CertifiedState,
  type InclusionProof,
  merklePath,
  PROOF_PREIMAGES_MAX,
  type Receipt,
  type TransactionId,
} from '@slipstream/types';
import { stateCertificateFrom } from './certificate-reads.ts';
import { blockIdAt, preimagesBetween, receiptsOf } from './chain-reads.ts';
import type { SealedStore } from './sealed-store.ts';
import { type LookUp, transactionById } from './transaction-reads.ts';

export interface ProofMaterial extends CertifiedState {
  /** The block's serialized receipts, in order. */
  readonly leaves: readonly Uint8Array[];
}

/** Undefined when the block is not here, or no state certificate within PROOF_PREIMAGES_MAX heights covers it. */
export async function proofMaterial(store: SealedStore, height: number): Promise<ProofMaterial | undefined> {
  const state = await certifiedState(store, height);
  const blockId = state && (await blockIdAt(store, height));
  const leaves = blockId && (await receiptsOf(store, blockId));
  return state && leaves && { leaves, ...state };
}

/** Undefined when the block is not here, or no state certificate within PROOF_PREIMAGES_MAX heights covers it. */
export async function certifiedState(store: SealedStore, height: number): Promise<CertifiedState | undefined> {
  const certificate = await stateCertificateFrom(store, height);
  if (certificate === undefined || certificate.subject.height - height + 1 > PROOF_PREIMAGES_MAX) return undefined;
  const preimages = await preimagesBetween(store, height, certificate.subject.height);
  return preimages.length === certificate.subject.height - height + 1 ? { preimages, certificate } : undefined;
}

function proofFrom(material: ProofMaterial, receipt: Receipt): InclusionProof {
  return {
    receipt,
    path: merklePath(material.leaves, receipt.index),
    preimages: material.preimages,
    certificate: material.certificate,
  };
}

export async function inclusionProof(
  lookUp: LookUp,
  transactionId: TransactionId,
): Promise<InclusionProof | undefined> {
  const found = await transactionById(lookUp, transactionId);
  const material = found && (await proofMaterial(lookUp.store, found.height));
  return found && material && proofFrom(material, found.receipt);
}
