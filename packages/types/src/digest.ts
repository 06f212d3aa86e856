/**
 * State digest: certified result of a block's execution.
 *
 *   stateDigest(B) = SHA-256(domain || genesisHash || height || blockId || stateDigest(parent) || batchChecksum ||
 *                            stateRoot || receiptsRoot || transactionCount || next || distilled roots)
 *
 * Each part has a fixed size, and only a chain with an account directory has the last one. So no other preimage has the same digest: a
 * preimage without these roots would prove digests, and no receipts.
 *
 * It commits to every digest and receipts root below (pipeline.md, "Certification").
 */
import {
  ContainerType,
  createCodec,
  domainPrefix,
  hashInDomain,
  ListCompositeType,
  uint32le,
  uint64le,
} from '@slipstream/primitives';
import type { BlockId, GenesisHash, Height, RecordHash, StateDigest } from './ids.ts';
import { asId, ZERO_ID } from './ids.ts';
import { bytes32, uint32, uint53 } from './subject-wire.ts';

export interface DigestPreimage {
  readonly height: Height;
  readonly blockId: BlockId;
  readonly parentDigest: StateDigest;
  /** Of the block's batch in the state store: names the bytes on disk. */
  readonly batchChecksum: Uint8Array;
  /** Of the state tree after the block: names the contents (state-proofs.md). */
  readonly stateRoot: Uint8Array;
  /** Merkle root over the serialized receipts. */
  readonly receiptsRoot: Uint8Array;
  readonly transactionCount: number;
  /** The sealed record of the next epoch, from the block that seals it to the epoch's last; else zero. */
  readonly next: RecordHash;
  /** Undefined: the chain has no account directory. */
  readonly distilled?: DistilledRoots | undefined;
}

/** Roots do not commit to numbers of leaves, so both are beside them. */
export interface DistilledRoots {
  /** Merkle root over the block's distilled batches. */
  readonly batchesRoot: Uint8Array;
  readonly batches: number;
  /** Merkle root over the entries of the account directory after the block. */
  readonly directoryRoot: Uint8Array;
  readonly directorySize: number;
}

export interface DigestPreimageWire extends Omit<DigestPreimage, 'distilled'> {
  readonly distilled: readonly DistilledRoots[];
}

const STATE_DOMAIN = domainPrefix('slipstream/state');

export function stateDigestOf(genesisHash: GenesisHash, preimage: DigestPreimage): StateDigest {
  return asId<StateDigest>(
    hashInDomain(
      STATE_DOMAIN,
      genesisHash,
      uint64le(preimage.height),
      preimage.blockId,
      preimage.parentDigest,
      preimage.batchChecksum,
      preimage.stateRoot,
      preimage.receiptsRoot,
      uint32le(preimage.transactionCount),
      preimage.next,
      ...distilledParts(preimage.distilled),
    ),
  );
}

function distilledParts(roots: DistilledRoots | undefined): readonly Uint8Array[] {
  if (roots === undefined) return [];
  return [roots.batchesRoot, uint32le(roots.batches), roots.directoryRoot, uint32le(roots.directorySize)];
}

/** Nothing is sealed. */
export const NO_RECORD = ZERO_ID as RecordHash;

export const digestPreimageType = new ContainerType({
  height: uint53,
  blockId: bytes32,
  parentDigest: bytes32,
  batchChecksum: bytes32,
  stateRoot: bytes32,
  receiptsRoot: bytes32,
  transactionCount: uint32,
  next: bytes32,
  distilled: new ListCompositeType(
    new ContainerType({ batchesRoot: bytes32, batches: uint32, directoryRoot: bytes32, directorySize: uint32 }),
    1,
  ),
});

export function preimageToWire(preimage: DigestPreimage): DigestPreimageWire {
  return { ...preimage, distilled: preimage.distilled === undefined ? [] : [preimage.distilled] };
}

export function preimageFromWire({ distilled, ...preimage }: DigestPreimageWire): DigestPreimage {
  const [roots] = distilled;
  return roots === undefined ? preimage : { ...preimage, distilled: roots };
}

export const digestPreimageCodec = createCodec<DigestPreimage, DigestPreimageWire>(
  'digest preimage',
  digestPreimageType,
  digestPreimageType.maxSize,
  { toWire: preimageToWire, fromWire: preimageFromWire },
);
