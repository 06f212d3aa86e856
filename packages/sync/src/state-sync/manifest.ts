/**
 * Manifest: a snapshot, and the proof that it is the chain's state.
 *
 *   state certificate --digests chain back--> preimage of each height --batch checksum--> newest segment of EACH log file
 *                                                    \--block id, receipts root--> blocks and receipts of the last minute
 */
import { ByteListType, bytesEqual, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import { newestBatchOf, type StateSnapshot, stateSnapshotCodec } from '@slipstream/state';
import {
  type Certificate,
  type CertificateWire,
  type CertifiedCommittee,
  CHUNK_MESSAGE_BYTES_MAX,
  certificateFromWire,
  certificateToWire,
  certificateType,
  type DigestPreimage,
  type DigestPreimageWire,
  digestPreimageType,
  type GenesisHash,
  hasQuorumOfSigners,
  hexOf,
  preimageFromWire,
  preimageToWire,
  type StateCertificate,
  stateDigestOf,
} from '@slipstream/types';

export interface Manifest {
  readonly snapshot: StateSnapshot;
  /** Ascending by one to the certified height, from the oldest end of a file or a minute of blocks below the snapshot. */
  readonly preimages: readonly DigestPreimage[];
  readonly certificate: StateCertificate;
}

/** A minute of blocks 8.2 ms apart. A manifest fits one answer. */
export const MANIFEST_PREIMAGES_MAX = 7_400;
export const PREIMAGES_BELOW_MAX = 12_288;

interface ManifestWire {
  readonly snapshot: Uint8Array;
  readonly preimages: readonly DigestPreimageWire[];
  readonly certificate: CertificateWire;
}

const manifestType = new ContainerType({
  snapshot: new ByteListType(stateSnapshotCodec.bytesMax),
  preimages: new ListCompositeType(digestPreimageType, MANIFEST_PREIMAGES_MAX),
  certificate: certificateType,
});

export const manifestCodec = createCodec<Manifest, ManifestWire>(
  'snapshot manifest',
  manifestType,
  CHUNK_MESSAGE_BYTES_MAX,
  {
    toWire: ({ snapshot, preimages, certificate }) => ({
      snapshot: stateSnapshotCodec.encode(snapshot),
      preimages: preimages.map(preimageToWire),
      certificate: certificateToWire(certificate as Certificate),
    }),
    fromWire({ snapshot, preimages, certificate }) {
      const decoded = stateSnapshotCodec.decode(snapshot);
      if (!decoded.ok) throw new RangeError(decoded.error.message);
      return {
        snapshot: decoded.value,
        preimages: preimages.map(preimageFromWire),
        certificate: certificateFromWire(certificate) as StateCertificate,
      };
    },
  },
);

export function ownPreimage({ snapshot, preimages }: Manifest): DigestPreimage | undefined {
  return preimages.find(({ blockId }) => hexOf(blockId) === snapshot.block);
}

/** `committee`: of the certificate's epoch. Undefined: only the certificate's signature is unchecked. */
export function manifestFault(
  manifest: Manifest,
  { genesisHash, committee, history }: { genesisHash: GenesisHash; committee: CertifiedCommittee; history: number },
): string | undefined {
  const { snapshot, preimages, certificate } = manifest;
  const { subject } = certificate;
  const last = preimages.at(-1);
  if (subject.kind !== 'certify' || last === undefined || last.height !== subject.height) {
    return 'its last digest is not the certified one';
  }
  for (const [at, preimage] of preimages.entries()) {
    const digest = stateDigestOf(genesisHash, preimage);
    const next = preimages[at + 1];
    const follows = next
      ? next.height === preimage.height + 1 && bytesEqual(next.parentDigest, digest)
      : bytesEqual(subject.stateDigest, digest);
    if (!follows) return `its digests do not follow from each other at height ${preimage.height}`;
  }
  if (!hasQuorumOfSigners(certificate, committee)) return 'its certificate lacks a quorum of signers';
  const own = ownPreimage(manifest);
  if (own === undefined || !bytesEqual(own.batchChecksum, snapshot.checksum)) return 'its block is not certified';
  return fileFault(manifest, own, history);
}

/**
 * No file ends below this height; negative: files end in genesis batches before the last, which have no block. Each batch goes to the log
 * that waited longest, so files end in as many last batches as there are files.
 */
export const lowestEnd = ({ files }: StateSnapshot, own: DigestPreimage): number => own.height - (files.length - 1);

/** A file that ends below the digests is unproven. */
export function coversFiles({ snapshot, preimages }: Manifest, own: DigestPreimage): boolean {
  const first = preimages[0];
  return first !== undefined && first.height <= Math.max(0, lowestEnd(snapshot, own));
}

function fileFault(manifest: Manifest, own: DigestPreimage, history: number): string | undefined {
  const { snapshot, preimages } = manifest;
  const first = preimages[0]?.height ?? 0;
  const slots = new Set(snapshot.files.map(({ file }) => file % (history + 1)));
  if (slots.size !== Math.min(history, snapshot.batch) + 1 || slots.size !== snapshot.files.length) {
    return 'it does not have one file for each log';
  }
  if (!coversFiles(manifest, own)) return `its digests begin at height ${first}, above the end of some file`;
  for (const file of snapshot.files) {
    const newest = newestBatchOf(snapshot, file, history);
    const height = own.height - (snapshot.batch - newest);
    if (file.file > newest) return `file ${file.file} is newer than its newest batch`;
    // The batch has no block: genesis-links.ts checks it.
    if (height < 0) continue;
    const preimage = preimages[height - first];
    if (!preimage || !bytesEqual(preimage.batchChecksum, file.checksum)) return `file ${file.file} is not certified`;
  }
  return undefined;
}
