/** Decoders of data from peers: every kind of frame, values inside, and what a full or joining node fetches. */
import {
  type Batch,
  batchHeaderCodec,
  batchLeafCodec,
  certifiedRowProofCodec,
  columnsOf,
  decodeBatch,
  encodeBatch,
  makeRowProof,
  outcomesRootOf,
  rowProofCodec,
} from '@slipstream/distilled';
import { compress, decompress } from '@slipstream/network/compression';
import { bytesEqual, concatBytes, sha256 } from '@slipstream/primitives';
import { manifestCodec } from '@slipstream/sync/state-sync';
import {
  asId,
  blockCodec,
  type ChunkHeader,
  type ChunkId,
  certificateCodec,
  chunkBodyCodec,
  createCommittee,
  credentialCodec,
  credentialProofCodec,
  type DirectoryProof,
  decodeFrame,
  decodeTransaction,
  directoryProofCodec,
  type EpochEntry,
  type EpochRecord,
  encodeFrame,
  epochEndCodec,
  epochEntriesCodec,
  FRAME_LIMITS,
  GENESIS_EPOCH,
  genesisCodec,
  handoverCodec,
  inclusionProofCodec,
  NO_UNITS,
  proposalCodec,
  readCredentialProof,
  receiptCodec,
  signedChunkCodec,
  transactionCodec,
  UNCACHED_CREDENTIALS,
  voteCodec,
} from '@slipstream/types';
import { epochChain } from '../../packages/crypto/test/epoch-chain.ts';
import { openChunk } from '../../packages/dissemination/src/chunks/chunk.ts';
import { soleCommittee } from '../../packages/dissemination/test/harness/genesis-epochs.ts';
import { headerOf, ringOf } from '../../packages/distilled/test/world.ts';
import {
  byCredential,
  byHash,
  credentialOf,
  person,
  sessionOf,
  testChain,
} from '../../packages/execution/test/session-world.ts';
import { childOf, genesisLink } from '../../packages/ledger/test/builders.ts';
import { boundaryOn, endOf } from '../../packages/ledger/test/epoch-links.ts';
import { createFrameParser } from '../../packages/network/src/frame-parser.ts';
import { stateSnapshotCodec } from '../../packages/state/src/snapshot/snapshot.ts';
import { codecDecoder, type Decoder } from './decoder.ts';
import * as sample from './samples.ts';

const chunkId = asId<ChunkId>(sha256(sample.transactionBytes[0] as Uint8Array));
const signature = new Uint8Array(192).fill(9);

const body = chunkBodyCodec.encode({ transactions: sample.transactionBytes, batches: [] });
const header: ChunkHeader = {
  epoch: GENESIS_EPOCH,
  producer: 1,
  sequence: 5,
  createdMs: 1_800_000_000_000,
  expiryMs: 1_800_000_030_000,
  bodyHash: sha256(body),
  bodyBytes: body.length,
  transactionCount: sample.transactionBytes.length,
  batchCount: 0,
  rowCount: 0,
  units: NO_UNITS,
  acksWanted: false,
};
const signedChunk = signedChunkCodec.encode({ header, body, signature });

const snapshot = {
  batch: 9,
  checksum: sha256(body),
  block: 'b9',
  files: [3, 4].map((file) => ({ file, bytes: 4_096, checksum: sha256(signedChunk) })),
};
const manifest = { snapshot, preimages: sample.preimages, certificate: sample.stateCertificate };
const proof = { receipt: sample.receipts[0], path: [sha256(body)], preimages: sample.preimages } as const;

const FRAMES: readonly Uint8Array[] = [
  encodeFrame('consensus', {
    certificates: sample.certificates,
    votes: sample.votes,
    confirmations: [{ epoch: sample.block.epoch, view: sample.block.view, blockId: sample.block.parentId, signature }],
  }),
  encodeFrame('heartbeat', { epoch: GENESIS_EPOCH, view: 9, finalizedHeight: 7, committedHeight: 6, refusedView: 0 }),
  encodeFrame('historyQuery', { epoch: GENESIS_EPOCH, nonce: 77 }),
  encodeFrame('historyAnswer', {
    epoch: GENESIS_EPOCH,
    nonce: 77,
    votes: sample.votes,
    certificates: sample.certificates,
    proposals: sample.proposals.map((each) => proposalCodec.encode(each)),
  }),
  ...sample.proposals.map((each) => encodeFrame('proposal', each)),
  encodeFrame('chunk', { compressed: true, bytes: compress(signedChunk) }),
  encodeFrame('chunk', { compressed: false, bytes: signedChunk }),
  encodeFrame('chunkAck', { chunkId, signer: 2, signature }),
  encodeFrame('chunkCertified', {
    chunkId,
    certificate: { epoch: GENESIS_EPOCH, signers: [0, 1, 3], aggregate: new Uint8Array(96) },
    suspendedMs: 5_000,
  }),
  encodeFrame('transactions', { transactions: sample.transactionBytes, awaited: [] }),
  encodeFrame('syncRequest', { requestId: 4, query: 'finalized', id: chunkId, from: 3, to: 9 }),
  encodeFrame('syncResponse', {
    requestId: 4,
    blocks: [sample.block, sample.block],
    certificates: sample.certificates,
    chunks: [signedChunk, manifestCodec.encode(manifest)],
    more: true,
  }),
  encodeFrame('subscribe', { certificates: true, members: [0, 3] }),
  encodeFrame('batchOffer', { offerId: 7, batch: body }),
  encodeFrame('batchAnswer', { offerId: 7, refusal: 'queue-full', retryAfterMs: 1_000 }),
];

const frames: Decoder = {
  name: 'frame',
  samples: FRAMES,
  judge(bytes) {
    const decoded = decodeFrame(bytes);
    if (!decoded.ok) return { taken: false, refusal: decoded.error.message };
    const { name, value } = decoded.value;
    const same = bytesEqual(encodeFrame(name, value as never), bytes);
    return same ? { taken: true } : { taken: true, fault: `took a ${name} frame that is not the encoding of it` };
  },
};

/** Frames, each after its length. */
const lane: Decoder = {
  name: 'lane',
  samples: FRAMES.map((frame) => concatBytes(lengthOf(frame), frame, lengthOf(frame), frame)),
  judge(bytes) {
    const name = FRAME_LIMITS.get(bytes[4] ?? 0)?.lane ?? 'consensus';
    const parser = createFrameParser(name, FRAME_LIMITS);
    const middle = Math.floor(bytes.length / 3);
    for (const part of [bytes.subarray(0, middle), bytes.subarray(middle)]) {
      parser.push(part);
      for (;;) {
        const next = parser.next();
        if (!next.ok) return { taken: false, refusal: next.error.detail };
        if (next.value === undefined) break;
        if (next.value.length > bytes.length) return { taken: true, fault: 'made a frame longer than what came' };
      }
    }
    return { taken: true };
  },
};

function lengthOf(frame: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, frame.length, true);
  return bytes;
}

const committee = createCommittee(
  testChain('fuzzed').genesis.members.map(({ weight, blsPublicKey, peerKey }) => ({ weight, blsPublicKey, peerKey })),
);
const chunkRules = {
  committees: soleCommittee(
    committee,
    header.units.map(() => 1_000_000),
  ),
  rules: { unitsOf: () => NO_UNITS },
  credentials: UNCACHED_CREDENTIALS,
};
/** Of a signed chunk: header, offset of the body, signature, body. */
const BODY_HASH_AT = 4 + 2 + 8 + 8 + 8;
const BODY_AT = signedChunk.length - body.length;

const chunks: Decoder = {
  name: 'signed chunk and its body',
  samples: [signedChunk],
  judge(bytes) {
    const opened = openChunk(bytes, chunkRules);
    if (!opened.ok) return { taken: false, refusal: opened.error.detail };
    const transactions = opened.value.transactions.map((each) => each.bytes);
    const same = bytesEqual(chunkBodyCodec.encode({ transactions, batches: [] }), opened.value.body);
    return same ? { taken: true } : { taken: true, fault: 'its transactions are not its body' };
  },
  reseal(bytes) {
    if (bytes.length < BODY_AT) return bytes;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    bytes.set(sha256(bytes.subarray(BODY_AT)), BODY_HASH_AT);
    view.setUint32(BODY_HASH_AT + 32, bytes.length - BODY_AT, true);
    return bytes;
  },
};

const LIMITS = { bytesMax: 1 << 16, ratioMax: 64 };
const zstd: Decoder = {
  name: 'zstd frame',
  samples: [signedChunk, new Uint8Array(900), body].map(compress),
  judge(bytes) {
    const content = decompress(bytes, LIMITS);
    if (!content.ok) return { taken: false, refusal: content.error.message };
    const allowed = Math.min(LIMITS.bytesMax, bytes.length * LIMITS.ratioMax);
    return content.value.length <= allowed ? { taken: true } : { taken: true, fault: 'more than its limits allow' };
  },
};

/** The id is always defined, and values read in place equal the codec's. */
function transactionsOf(samples: readonly Uint8Array[]): Decoder {
  return {
    name: 'transaction',
    samples,
    judge(bytes) {
      const { transaction, id } = decodeTransaction(bytes);
      if (id.length !== 32) return { taken: true, fault: 'has no id' };
      const slow = transactionCodec.decode(bytes);
      if (slow.ok !== (transaction !== undefined))
        return { taken: true, fault: 'two readers disagree on whether it is one' };
      if (transaction === undefined || !slow.ok) return { taken: false, refusal: slow.ok ? '' : slow.error.message };
      const same = bytesEqual(transactionCodec.encode(transaction), bytes);
      return same ? { taken: true } : { taken: true, fault: 'took bytes that are not its encoding' };
    },
  };
}

const distilledRows = ringOf(40);
const rowColumns = columnsOf(distilledRows);
const late = { expiryMs: 1_800_000_000_000, feeCap: 900n, signature: new Uint8Array(64).fill(4) };
const distilledBatches: readonly Batch[] = [
  { header: headerOf(distilledRows), rows: rowColumns, stragglers: [], aggregate: new Uint8Array(96).fill(5) },
  {
    header: headerOf(distilledRows.slice(0, 3)),
    rows: columnsOf(distilledRows.slice(0, 3)),
    stragglers: [0, 1, 2].map((position) => ({ position, ...late })),
    aggregate: undefined,
  },
];
const batchLeaf = {
  header: headerOf(distilledRows),
  rowFee: 20n,
  stragglerFee: 0n,
  firstIndex: 4,
  outcomesRoot: outcomesRootOf(new Uint8Array(40)),
};
const proofSource = { rows: rowColumns, outcomes: new Uint8Array(40), leaves: [batchLeaf, batchLeaf], batch: 1 };

const roots = { batchesRoot: sha256(body), batches: 2, directoryRoot: sha256(signature), directorySize: 9 };
const directoryProof: DirectoryProof = {
  index: 3,
  entry: { account: sample.ACCOUNT, blsKey: new Uint8Array(96).fill(6) },
  path: [sha256(body)],
  preimages: sample.preimages.map((preimage) => ({ ...preimage, distilled: roots })),
  certificate: sample.stateCertificate,
};

const batches: Decoder = {
  name: 'distilled batch',
  samples: distilledBatches.map(encodeBatch),
  judge(bytes) {
    const decoded = decodeBatch(bytes);
    if (!decoded.ok) return { taken: false, refusal: decoded.error.message };
    const same = bytesEqual(encodeBatch(decoded.value), bytes);
    return same ? { taken: true } : { taken: true, fault: 'took bytes that are not the encoding of the batch' };
  },
};

export async function decodersOfPeers(): Promise<readonly Decoder[]> {
  const identity = testChain('identity');
  const target = testChain('target', { trusted: [identity.rootKey] });
  const device = person('alice');
  const session = sessionOf(identity, target, device);
  const credential = await credentialOf(identity, session, device);
  const actions = [{ kind: 'setData', name: 'n', value: new Uint8Array(3) }] as const;
  const bySession = [byCredential(target, session, credential, { actions }), byHash(target, session, { actions })];
  const credentialProof = readCredentialProof(credential.proof);
  if (credentialProof === undefined) throw new Error('a sound credential has no proof');
  const chain = await epochsOfChain();
  return [
    frames,
    lane,
    chunks,
    batches,
    codecDecoder(batchHeaderCodec, [batchLeaf.header]),
    codecDecoder(batchLeafCodec, [batchLeaf]),
    codecDecoder(rowProofCodec, [makeRowProof(proofSource, 18)]),
    codecDecoder(certifiedRowProofCodec, [{ ...directoryProof, proof: makeRowProof(proofSource, 39) }]),
    zstd,
    transactionsOf([...sample.transactionBytes, ...sample.governanceBytes, ...bySession.map(({ bytes }) => bytes)]),
    codecDecoder(credentialCodec, [credential]),
    codecDecoder(credentialProofCodec, [credentialProof]),
    codecDecoder(blockCodec, [sample.block]),
    codecDecoder(certificateCodec, sample.certificates),
    codecDecoder(voteCodec, sample.votes),
    codecDecoder(proposalCodec, sample.proposals),
    codecDecoder(receiptCodec, sample.receipts),
    codecDecoder(inclusionProofCodec, [{ ...proof, certificate: sample.stateCertificate } as never]),
    codecDecoder(directoryProofCodec, [directoryProof]),
    codecDecoder(handoverCodec, [sample.handover, { ...sample.handover, members: undefined }]),
    codecDecoder(stateSnapshotCodec, [snapshot]),
    codecDecoder(manifestCodec, [manifest]),
    codecDecoder(genesisCodec, [target.genesis]),
    codecDecoder(
      epochEndCodec,
      chain.flatMap(({ end }) => end ?? []),
    ),
    codecDecoder(epochEntriesCodec, [chain]),
  ];
}

/** Ends with and without fillers; not those of the records. */
async function epochsOfChain(): Promise<readonly EpochEntry[]> {
  const { records, handovers } = await epochChain('fuzzed epochs', { members: 4, epochs: 2 });
  const boundary = boundaryOn(childOf(genesisLink()));
  return handovers.map((handover, at) => ({
    record: records[at] as EpochRecord,
    handover,
    end: endOf(boundary, 2 * at),
  }));
}
