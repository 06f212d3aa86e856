/**
 * State digest: certified result of a block's execution.
 *
 *   stateDigest(B) = SHA-256(domain || genesisHash || height || blockId || stateDigest(parent) || batchChecksum ||
 *                            receiptsRoot || transactionCount || next)
 *
 * It commits to every digest and receipts root below (pipeline.md, "Certification").
 */
import { ContainerType, createCodec, domainPrefix, hashInDomain, uint32le, uint64le } from '@slipstream/primitives';
import type { BlockId, GenesisHash, Height, RecordHash, StateDigest } from './ids.ts';
import { asId, ZERO_ID } from './ids.ts';
import { bytes32, uint32, uint53 } from './subject-wire.ts';

export interface DigestPreimage {
  readonly height: Height;
  readonly blockId: BlockId;
  readonly parentDigest: StateDigest;
  /** Of the block's batch in the state store. */
  readonly batchChecksum: Uint8Array;
  /** Merkle root over the serialized receipts. */
  readonly receiptsRoot: Uint8Array;
  readonly transactionCount: number;
  /** The sealed record of the next epoch, from the block that seals it to the epoch's last; else zero. */
  readonly next: RecordHash;
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
      preimage.receiptsRoot,
      uint32le(preimage.transactionCount),
      preimage.next,
    ),
  );
}

/** Nothing is sealed. */
export const NO_RECORD = ZERO_ID as RecordHash;

export const digestPreimageType = new ContainerType({
  height: uint53,
  blockId: bytes32,
  parentDigest: bytes32,
  batchChecksum: bytes32,
  receiptsRoot: bytes32,
  transactionCount: uint32,
  next: bytes32,
});

export const digestPreimageCodec = createCodec<DigestPreimage>(
  'digest preimage',
  digestPreimageType,
  digestPreimageType.maxSize,
);
