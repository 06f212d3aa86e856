/**
 * Directory proofs: a quorum certified an entry of the account directory.
 *
 *   entry --Merkle path--> directoryRoot(h) --preimage--> digest(h) --preimages--> digest(h') --state certificate--> committee
 *
 * Entries never change, so a proof of any height holds for ever.
 */
import { ByteListType, ContainerType, createCodec, fail, ListCompositeType, type Result } from '@slipstream/primitives';
import type { CertifiedCommittee } from '../committee.ts';
import type { GenesisHash } from '../ids.ts';
import { MERKLE_PATH_MAX, verifyMerklePath } from '../merkle.ts';
import {
  type CertifiedState,
  type CertifiedStateWire,
  certifiedStateFields,
  certifiedStateFromWire,
  certifiedStateToWire,
  checkCertifiedState,
  type ProofFault,
  type ProofSignature,
} from '../proof.ts';
import { bytes32, uint32 } from '../subject-wire.ts';
import {
  DIRECTORY_ENTRY_BYTES,
  type DirectoryEntry,
  decodeDirectoryEntry,
  directoryLeaf,
  encodeDirectoryEntry,
} from './entry.ts';

export interface DirectoryProof extends CertifiedState {
  readonly index: number;
  readonly entry: DirectoryEntry;
  /** In the directory after the first preimage's block. */
  readonly path: readonly Uint8Array[];
}

interface DirectoryProofWire extends CertifiedStateWire {
  readonly index: number;
  readonly entry: Uint8Array;
  readonly path: readonly Uint8Array[];
}

const proofType = new ContainerType({
  index: uint32,
  entry: new ByteListType(DIRECTORY_ENTRY_BYTES),
  path: new ListCompositeType(bytes32, MERKLE_PATH_MAX),
  ...certifiedStateFields,
});

export const directoryProofCodec = createCodec<DirectoryProof, DirectoryProofWire>(
  'directory proof',
  proofType,
  proofType.maxSize,
  {
    toWire: ({ index, entry, path, ...state }) => ({
      index,
      entry: encodeDirectoryEntry(entry),
      path,
      ...certifiedStateToWire(state),
    }),
    fromWire: ({ index, entry, path, ...state }) => ({
      index,
      entry: decodeDirectoryEntry(entry),
      path,
      ...certifiedStateFromWire(state),
    }),
  },
);

/** Returns the signature that must hold. */
export function checkDirectoryProof(
  proof: DirectoryProof,
  genesisHash: GenesisHash,
  committee: CertifiedCommittee,
): Result<ProofSignature, ProofFault> {
  const { index, entry, path, preimages } = proof;
  const roots = preimages[0]?.distilled;
  if (roots === undefined) return fail('path');
  const leaf = directoryLeaf(index, entry);
  if (!verifyMerklePath(leaf, index, roots.directorySize, path, roots.directoryRoot)) return fail('path');
  return checkCertifiedState(proof, genesisHash, committee);
}
