/** Every optional part is present at least once. */
import {
  asId,
  type Block,
  type BlockId,
  type ChunkId,
  ed25519Account,
  GENESIS_EPOCH,
  type GenesisHash,
  height,
  type InclusionProof,
  NO_RECORD,
  payloadRootOf,
  type Receipt,
  type StateDigest,
  type Transaction,
  type TransactionId,
  view,
} from '@slipstream/types';

export const filled = (byte: number, length = 32) => new Uint8Array(length).fill(byte);

export const genesisHash = asId<GenesisHash>(filled(7));

export const transaction: Transaction = {
  body: {
    genesisHash,
    sender: ed25519Account(filled(3)),
    expiryMs: 1_800_000_000_000,
    salt: filled(5, 8),
    maxFee: 2n ** 64n - 1n,
    actions: [
      { kind: 'transfer', to: ed25519Account(filled(4)), amount: 12n },
      { kind: 'transferMany', outputs: [{ to: ed25519Account(filled(4)), amount: 0n }] },
      { kind: 'setData', name: 'colour', value: filled(1, 4) },
    ],
  },
  auth: { scheme: 'ed25519', signature: filled(8, 64) },
};

export const receipt: Receipt = {
  transactionId: asId<TransactionId>(filled(1)),
  outcome: { status: 'failed', code: 'insufficient-balance', action: 2 },
  output: filled(9, 3),
  fee: 7n,
  units: [1, 2, 3, 4, 5],
  height: height(12),
  index: 1,
};

export const block: Block = {
  epoch: GENESIS_EPOCH,
  view: view(14),
  height: height(12),
  parentId: asId<BlockId>(filled(2)),
  parentView: view(13),
  timestampMs: 1_790_000_000_000,
  proposer: 3,
  payload: [
    {
      chunkId: asId<ChunkId>(filled(6)),
      certificate: { epoch: GENESIS_EPOCH, signers: [0, 2], aggregate: filled(1, 96) },
    },
    { chunkId: asId<ChunkId>(filled(7)), certificate: undefined },
  ],
  payloadRoot: payloadRootOf([]),
  next: undefined,
};

export const proof: InclusionProof = {
  receipt,
  path: [filled(1), filled(2)],
  preimages: [
    {
      height: height(12),
      blockId: asId<BlockId>(filled(3)),
      parentDigest: asId<StateDigest>(filled(4)),
      batchChecksum: filled(5),
      stateRoot: filled(7),
      receiptsRoot: filled(6),
      transactionCount: 4,
      next: NO_RECORD,
    },
  ],
  certificate: {
    subject: {
      kind: 'certify',
      epoch: GENESIS_EPOCH,
      view: view(14),
      height: height(12),
      blockId: asId<BlockId>(filled(3)),
      stateDigest: asId<StateDigest>(filled(9)),
    },
    signers: [0, 1, 3],
    aggregate: filled(2, 96),
  },
};
