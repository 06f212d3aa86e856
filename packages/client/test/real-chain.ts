/** Four members with real keys, and proofs that they signed. */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual, sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  asId,
  type BlockId,
  type Certify,
  type DigestPreimage,
  type DistilledRoots,
  GENESIS_EPOCH,
  type Genesis,
  type GenesisHash,
  genesisHashOf,
  height,
  type InclusionProof,
  merklePath,
  merkleRoot,
  NO_RECORD,
  OPERATORS_DECIDE,
  type Receipt,
  receiptCodec,
  type StateDigest,
  stateDigestOf,
  subjectMessage,
  type TransactionId,
  view,
} from '@slipstream/types';
import { genesisMember, TEST_TIMES } from '../../types/test/genesis-member.ts';

const scheme = bls12_381.longSignatures;
const DST = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';

const secrets = [0, 1, 2, 3].map((i) => {
  const secret = sha256(utf8(`validator ${i}`));
  secret[0] = 0;
  return secret;
});

export const genesis: Genesis = {
  chain: 'test-chain',
  timestampMs: 1_790_000_000_000,
  development: true,
  members: secrets.map((secret, i) =>
    genesisMember(i, {
      weight: 1,
      blsPublicKey: scheme.getPublicKey(secret).toBytes(true),
      peerKey: toHex(new Uint8Array(32).fill(i + 1)) as PeerKey,
    }),
  ),
  allocations: [],
  generated: { seed: new Uint8Array(32), count: 0, balance: 0n },
  fees: {
    initialPrices: [0n, 0n, 0n, 0n, 0n],
    minimumPrices: [0n, 0n, 0n, 0n, 0n],
    targets: [1, 1, 1, 1, 1],
    limits: [9, 9, 9, 9, 9],
    windowBlocks: 100,
  },
  times: TEST_TIMES,
  state: { history: 16, deadPercent: 100, deadBytesMin: 65_536, deadBytesMax: 16_777_216, moveBytesMax: 1_000_000 },
  trustedIssuers: [],
  leaderReputation: false,
  governance: OPERATORS_DECIDE,
};

export const genesisHash: GenesisHash = genesisHashOf(genesis);

export function receiptsOf(transactionIds: readonly TransactionId[], at: number): readonly Receipt[] {
  return transactionIds.map((transactionId, index) => ({
    transactionId,
    outcome: { status: 'success' },
    output: new Uint8Array(0),
    fee: 3n,
    units: [1, 2, 3, 4, 5],
    height: height(at),
    index,
  }));
}

/** Of one receipt, certified `later` heights above by these members. */
export function proveReceipt(
  receipts: readonly Receipt[],
  index: number,
  {
    later = 0,
    signers = [0, 1, 3],
    distilled,
    stateRoot,
  }: {
    readonly later?: number;
    readonly signers?: readonly number[];
    readonly distilled?: DistilledRoots;
    /** After the block of the receipt. */
    readonly stateRoot?: Uint8Array;
  } = {},
): InclusionProof {
  const receipt = receipts[index] as Receipt;
  const leaves = receipts.map((each) => receiptCodec.encode(each));
  const preimages: DigestPreimage[] = [];
  let parentDigest = asId<StateDigest>(sha256(utf8('digest of the parent')));
  for (let step = 0; step <= later; step++) {
    const preimage: DigestPreimage = {
      height: height(receipt.height + step),
      blockId: asId<BlockId>(sha256(utf8(`block ${receipt.height + step}`))),
      parentDigest,
      batchChecksum: sha256(utf8(`batch ${step}`)),
      stateRoot: (step === 0 ? stateRoot : undefined) ?? sha256(utf8(`state ${step}`)),
      receiptsRoot: step === 0 ? merkleRoot(leaves) : sha256(utf8(`root ${step}`)),
      transactionCount: step === 0 ? leaves.length : 7,
      next: NO_RECORD,
      ...(distilled && { distilled }),
    };
    preimages.push(preimage);
    parentDigest = stateDigestOf(genesisHash, preimage);
  }
  const last = preimages[preimages.length - 1] as DigestPreimage;
  const subject: Certify = {
    kind: 'certify',
    epoch: GENESIS_EPOCH,
    view: view(last.height + 2),
    height: last.height,
    blockId: last.blockId,
    stateDigest: parentDigest,
  };
  const message = scheme.hash(subjectMessage(genesisHash, subject), DST);
  const signatures = signers.map((signer) => scheme.sign(message, secrets[signer] as Uint8Array));
  const aggregate = scheme.aggregateSignatures(signatures).toBytes(true);
  return { receipt, path: merklePath(leaves, index), preimages, certificate: { subject, signers, aggregate } };
}

export function memberSignature(signer: number, message: Uint8Array): Uint8Array {
  return scheme.sign(scheme.hash(message, DST), secrets[signer] as Uint8Array).toBytes(false);
}

export function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = bytes.slice();
  flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
  if (bytesEqual(flipped, bytes)) throw new Error('a flipped bit changes the bytes');
  return flipped;
}
