import { sha256, uint32le } from '@slipstream/primitives';
import { expect, test } from 'vitest';
import {
  asId,
  type DigestPreimage,
  type DistilledRoots,
  digestPreimageCodec,
  type GenesisHash,
  height,
  NO_RECORD,
  stateDigestOf,
} from '../src/index.ts';

const bytes = (fill: number) => new Uint8Array(32).fill(fill);
const GENESIS_HASH = asId<GenesisHash>(bytes(1));
const ROOTS: DistilledRoots = {
  batchesRoot: bytes(6),
  batches: 7,
  directoryRoot: bytes(8),
  directorySize: 9,
};
const PREIMAGE: DigestPreimage = {
  height: height(3),
  blockId: asId(bytes(2)),
  parentDigest: asId(bytes(3)),
  batchChecksum: bytes(4),
  stateRoot: bytes(10),
  receiptsRoot: bytes(5),
  transactionCount: 1,
  next: NO_RECORD,
  distilled: ROOTS,
};

const digestOf = (changed: Partial<DigestPreimage>) => stateDigestOf(GENESIS_HASH, { ...PREIMAGE, ...changed });

test('the root of the state is in the digest, apart from its neighbours', () => {
  const { batchChecksum, stateRoot, receiptsRoot } = PREIMAGE;
  const others: readonly Partial<DigestPreimage>[] = [
    { stateRoot: bytes(0) },
    { batchChecksum: stateRoot, stateRoot: batchChecksum },
    { stateRoot: receiptsRoot, receiptsRoot: stateRoot },
  ];
  for (const each of others) expect(digestOf(each)).not.toEqual(digestOf({}));
});

test('each distilled root and size is in the digest', () => {
  const other: readonly Partial<DistilledRoots>[] = [
    ...[{ batchesRoot: bytes(0) }, { batches: 0 }, { directoryRoot: bytes(0) }, { directorySize: 0 }],
    { batchesRoot: ROOTS.directoryRoot, directoryRoot: ROOTS.batchesRoot },
  ];
  for (const each of other) expect(digestOf({ distilled: { ...ROOTS, ...each } })).not.toEqual(digestOf({}));
});

test('no receipts root stands for distilled roots that a preimage leaves out', () => {
  const parts = [PREIMAGE.receiptsRoot, ROOTS.batchesRoot, uint32le(ROOTS.batches)];
  const rest = [ROOTS.directoryRoot, uint32le(ROOTS.directorySize)];
  const joined = sha256(Uint8Array.from([3, ...[...parts, ...rest].flatMap((part) => [...part])]));
  for (const receiptsRoot of [PREIMAGE.receiptsRoot, joined]) {
    expect(digestOf({ receiptsRoot, distilled: undefined })).not.toEqual(digestOf({}));
  }
});

test('a preimage keeps its distilled roots, and has none without them', () => {
  const { distilled, ...bare } = PREIMAGE;
  for (const each of [PREIMAGE, bare]) {
    expect(digestPreimageCodec.decode(digestPreimageCodec.encode(each))).toEqual({ ok: true, value: each });
  }
});
