/** A follower beside a node's pipeline: what it executes, and what it refuses. */
import { committeesOf } from '@slipstream/client';
import type { WriteColumns } from '@slipstream/execution';
import { fromHex, sha256 } from '@slipstream/primitives';
import {
  asId,
  type Block,
  type ChunkHeader,
  type ChunkId,
  chunkBodyCodec,
  chunkIdOf,
  type DigestPreimage,
  epoch,
  genesisBlock,
  genesisToJson,
  height,
  hexOf,
  NO_UNITS,
  type PreparedTransaction,
  signedChunkCodec,
  type TransactionId,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import * as certified from '../../packages/client/test/real-chain.ts';
import { EDGE_CASES } from '../../packages/crypto/test/ed25519-edge-cases.ts';
import {
  GENESIS,
  GENESIS_HASH,
  NOW_MS,
  type Node,
  type Proposed,
  settle,
  transaction,
  transfer,
  untilCommitted,
  World,
} from '../../packages/pipeline/test/world.ts';
import { createAccountChecks } from '../../scripts/bench/follower-tab/account-signatures.ts';
import {
  type Follower,
  type FollowerComponents,
  openFollower,
  type Snapshot,
} from '../../scripts/bench/follower-tab/follower.ts';
import {
  certifiedPreimage,
  decodeEntries,
  encodeEntries,
  encodeHead,
  type SnapshotHead,
} from '../../scripts/bench/follower-tab/snapshot-wire.ts';

const components: FollowerComponents = {
  checkAccounts: async (batch) => batch.map(() => true),
  nowMs: () => 0,
  secret: new Uint8Array(32).fill(3),
  pause: async () => {},
};

const SNAPSHOT_HEIGHT = 3;

/** Serialized chunks, by id. */
type Chunks = Map<string, Uint8Array>;

interface Followed {
  readonly world: World;
  readonly node: Node;
  readonly chunks: Chunks;
  readonly snapshot: Snapshot;
  readonly preimage: DigestPreimage;
  readonly tip: Proposed;
}

/** A node, and a snapshot of its state at SNAPSHOT_HEIGHT. */
async function arrange(): Promise<Followed> {
  const world = new World();
  const node = await world.open();
  const chunks: Chunks = new Map();
  let tip = GENESIS;
  for (let at = 1; at <= SNAPSHOT_HEIGHT; at++) {
    tip = propose(world, chunks, tip, [transfers(at, 3)]);
    await commit(node, tip);
  }
  const executed = (await node.ledger.recentBlocks(0)).map(({ block, executedIds }) => ({
    timestampMs: block.timestampMs,
    ids: executedIds,
  }));
  const snapshot = { block: tip.block, entries: entriesOf(node), executed };
  return { world, node, chunks, snapshot, preimage: await preimageAt(node, SNAPSHOT_HEIGHT), tip };
}

const entriesOf = (node: Node) => decodeEntries(encodeEntries(node.state.packedEntries()));

function transfers(salt: number, count: number): readonly PreparedTransaction[] {
  return Array.from({ length: count }, (_, i) => transaction({ actions: [transfer(2 + i, BigInt(salt + i))] }));
}

/** A block with a real chunk for each list. */
function propose(
  world: World,
  chunks: Chunks,
  parent: Proposed,
  lists: readonly (readonly PreparedTransaction[])[],
): Proposed {
  const ids = lists.map((transactions, producer) => {
    const body = chunkBodyCodec.encode({ transactions: transactions.map(({ bytes }) => bytes), batches: [] });
    const header: ChunkHeader = {
      epoch: epoch(0),
      producer,
      sequence: parent.block.height + 1,
      createdMs: NOW_MS,
      expiryMs: NOW_MS + 60_000,
      bodyHash: sha256(body),
      bodyBytes: body.length,
      transactionCount: transactions.length,
      batchCount: 0,
      rowCount: 0,
      units: NO_UNITS,
      acksWanted: false,
    };
    const id = chunkIdOf(header);
    chunks.set(hexOf(id), signedChunkCodec.encode({ header, body, signature: new Uint8Array(192) }));
    world.chunks.set(hexOf(id), { epoch: 0, producer, transactions });
    return id;
  });
  const payload = ids.map((chunkId) => ({ chunkId, certificate: undefined }));
  return world.blockOn(parent, { transactions: lists.flat(), payload });
}

async function commit(node: Node, proposed: Proposed): Promise<void> {
  await settle(node, proposed);
  await untilCommitted(node, proposed.block.height);
}

async function preimageAt({ ledger }: Node, at: number): Promise<DigestPreimage> {
  const found = await ledger.preimage(height(at));
  if (found === undefined) throw new Error(`no preimage of height ${at}`);
  return found;
}

const chunksOf = ({ payload }: Block, chunks: Chunks) =>
  payload.map(({ chunkId }) => chunks.get(hexOf(chunkId as ChunkId)) as Uint8Array);

const open = ({ snapshot, preimage }: Followed, changed: Partial<Snapshot> = {}): Promise<Follower> =>
  openFollower(components, GENESIS_HASH, { ...snapshot, ...changed }, preimage);

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
}

describe('a follower on a proven snapshot', () => {
  it('gets the parts of each digest of a node: transfers, several chunks, empty blocks', async () => {
    const followed = await arrange();
    const { world, node, chunks } = followed;
    const follower = await open(followed);
    let { tip } = followed;
    for (let at = SNAPSHOT_HEIGHT + 1; at <= SNAPSHOT_HEIGHT + 12; at++) {
      const lists = [transfers(at, at % 4), transfers(2 * at, 2)].slice(0, at % 3);
      tip = propose(world, chunks, tip, lists);
      await commit(node, tip);
      const { transactionIds } = await follower.execute(tip.block, chunksOf(tip.block, chunks));
      const preimage = await preimageAt(node, at);
      expect(transactionIds.length).toBe(preimage.transactionCount);
      expect(follower.differences(preimage)).toEqual([]);
    }
    expect(follower.height).toBe(SNAPSHOT_HEIGHT + 12);
  });

  it('skips what was executed before the snapshot, and differs without knowing of it', async () => {
    const followed = await arrange();
    const { world, node, chunks, tip } = followed;
    const [again] = transfers(1, 1) as [PreparedTransaction];
    const first = propose(world, chunks, tip, [[again]]);
    await commit(node, first);
    const later = { ...followed, tip: first, preimage: await preimageAt(node, first.block.height) };
    const executed = [{ timestampMs: first.block.timestampMs, ids: [again.id as TransactionId] }];
    const second = propose(world, chunks, first, [[again], transfers(9, 1)]);
    const snapshot = { block: first.block, entries: entriesOf(node), executed };
    await commit(node, second);
    const bytes = chunksOf(second.block, chunks);
    const preimage = await preimageAt(node, second.block.height);
    const knowing = await open({ ...later, snapshot });
    await knowing.execute(second.block, bytes);
    expect(knowing.differences(preimage)).toEqual([]);
    const unknowing = await open({ ...later, snapshot }, { executed: [] });
    await unknowing.execute(second.block, bytes);
    expect(unknowing.differences(preimage)).toEqual(['stateRoot', 'receiptsRoot', 'transactionCount']);
  });

  it('skips a transaction whose signature does not hold', async () => {
    const followed = await arrange();
    const { world, node, chunks, tip } = followed;
    const lists = [transfers(4, 2)];
    const block = propose(world, chunks, tip, lists);
    await commit(node, block);
    const follower = await openFollower(
      { ...components, checkAccounts: async (batch) => batch.map((_, i) => i > 0) },
      GENESIS_HASH,
      followed.snapshot,
      followed.preimage,
    );
    const { transactionIds } = await follower.execute(block.block, chunksOf(block.block, chunks));
    expect(transactionIds).toEqual([lists[0]?.[1]?.id]);
    expect(follower.differences(await preimageAt(node, block.block.height))).toContain('stateRoot');
  });

  it('names the parts in which a certified preimage differs', async () => {
    const followed = await arrange();
    const { world, node, chunks, tip } = followed;
    const follower = await open(followed);
    const block = propose(world, chunks, tip, [transfers(5, 2)]);
    const rival = propose(world, chunks, tip, [transfers(6, 2)]);
    await commit(node, block);
    await follower.execute(rival.block, chunksOf(rival.block, chunks));
    const preimage = await preimageAt(node, block.block.height);
    expect(follower.differences(preimage)).toEqual(['blockId', 'stateRoot', 'receiptsRoot']);
    expect(follower.differences({ ...preimage, height: height(99) })).toBeUndefined();
  });
});

describe('a snapshot is refused', () => {
  it.for([
    [
      'with one wrong bit in a value',
      (all: WriteColumns) => ({ ...all, bytes: flipped(all.bytes, all.bytes.length - 1) }),
    ],
    ['with one wrong bit in a key', (all: WriteColumns) => ({ ...all, bytes: flipped(all.bytes, 1) })],
    ['with a value of another length', longerValue],
  ] as const)('%s', async ([, change]) => {
    const followed = await arrange();
    const [first, ...rest] = followed.snapshot.entries;
    const entries = [change(first as WriteColumns), ...rest];
    await expect(open(followed, { entries })).rejects.toMatchObject({ code: 'false-snapshot' });
  });

  it('without one entry, or with one twice', async () => {
    const followed = await arrange();
    const [first] = followed.snapshot.entries as [WriteColumns];
    const one = oneEntry(first);
    const rest = {
      bytes: first.bytes.subarray(one.bytes.length),
      keyBytes: first.keyBytes.subarray(1),
      valueBytes: first.valueBytes.subarray(1),
    };
    await expect(open(followed, { entries: [rest] })).rejects.toMatchObject({ code: 'false-snapshot' });
    await expect(open(followed, { entries: [first, one] })).rejects.toMatchObject({ code: 'false-snapshot' });
    expect((await open(followed, { entries: [rest, one] })).height).toBe(SNAPSHOT_HEIGHT);
  });

  it('of another block than the certified one', async () => {
    const followed = await arrange();
    const other = genesisBlock(GENESIS_HASH, 5);
    await expect(open(followed, { block: other })).rejects.toMatchObject({ code: 'false-snapshot' });
  });

  it('when its bytes have no form', () => {
    const bytes = encodeEntries([
      { bytes: Uint8Array.of(1, 2), keyBytes: Uint8Array.of(1), valueBytes: Int32Array.of(1) },
    ]);
    expect(decodeEntries(bytes)).toHaveLength(1);
    for (let length = 1; length < bytes.length; length++) {
      expect(() => decodeEntries(bytes.subarray(0, length))).toThrow('no form');
    }
    for (const at of [0, 4, 8, 9]) expect(() => decodeEntries(flipped(bytes, at))).toThrow('no form');
  });
});

function oneEntry({ bytes, keyBytes, valueBytes }: WriteColumns): WriteColumns {
  const end = (keyBytes[0] as number) + (valueBytes[0] as number);
  return { bytes: bytes.subarray(0, end), keyBytes: keyBytes.subarray(0, 1), valueBytes: valueBytes.subarray(0, 1) };
}

/** Of the last entry. */
function longerValue({ bytes, keyBytes, valueBytes }: WriteColumns): WriteColumns {
  const longer = new Uint8Array(bytes.length + 1);
  longer.set(bytes);
  const last = valueBytes.length - 1;
  return { bytes: longer, keyBytes, valueBytes: valueBytes.with(last, (valueBytes[last] as number) + 1) };
}

describe('a block is refused, and the follower goes on', () => {
  it('when a chunk has other bytes, is missing, or is another', async () => {
    const followed = await arrange();
    const { world, node, chunks, tip } = followed;
    const block = propose(world, chunks, tip, [transfers(7, 2), transfers(8, 2)]);
    await commit(node, block);
    const follower = await open(followed);
    const right = chunksOf(block.block, chunks) as [Uint8Array, Uint8Array];
    const body = right[0].length - 200;
    const false_: readonly (readonly Uint8Array[])[] = [
      [flipped(right[0], 6), right[1]],
      [flipped(right[0], body), right[1]],
      [right[0].subarray(0, 40), right[1]],
      [right[1], right[0]],
      [right[0]],
      [],
    ];
    for (const bytes of false_) {
      await expect(follower.execute(block.block, bytes)).rejects.toMatchObject({ code: 'wrong-chunk' });
    }
    await follower.execute(block.block, right);
    expect(follower.differences(await preimageAt(node, block.block.height))).toEqual([]);
  });

  it('when it is no child of the newest block', async () => {
    const followed = await arrange();
    const { world, chunks, tip } = followed;
    const child = propose(world, chunks, tip, [transfers(1, 1)]);
    const grandchild = propose(world, chunks, child, []);
    const follower = await open(followed);
    const early = { ...child.block, timestampMs: tip.block.timestampMs };
    const foreign = { ...child.block, parentId: GENESIS.blockId };
    for (const block of [grandchild.block, tip.block, early, foreign]) {
      await expect(follower.execute(block, [])).rejects.toMatchObject({ code: 'wrong-block' });
    }
    await follower.execute(child.block, chunksOf(child.block, chunks));
    await follower.execute(grandchild.block, []);
    expect(follower.height).toBe(SNAPSHOT_HEIGHT + 2);
  });
});

describe('the preimage of a snapshot', () => {
  const committees = committeesOf(genesisToJson(certified.genesis));
  if (!committees.ok) throw new Error(committees.error);
  const ids = [asId<TransactionId>(sha256(Uint8Array.of(1)))];
  const proven = certified.proveReceipt(certified.receiptsOf(ids, 9), 0, { later: 2 });
  const block = genesisBlock(certified.genesisHash, 1);
  const head = encodeHead(block, proven);

  it('is taken when a quorum certified its digest, or a later one', () => {
    const found = certifiedPreimage(head, committees.value);
    expect(found.ok && found.value).toEqual(proven.preimages[0]);
  });

  it('is refused with another root, out of order, or without a quorum', () => {
    const [first, ...rest] = head.preimages as [string, ...string[]];
    const changed = { ...(proven.preimages[0] as DigestPreimage), stateRoot: new Uint8Array(32) };
    const other = encodeHead(block, { ...proven, preimages: [changed, ...proven.preimages.slice(1)] });
    const few = certified.proveReceipt(certified.receiptsOf(ids, 9), 0, { signers: [0, 1] });
    const refused = [
      other,
      { ...head, preimages: [...rest, first] },
      { ...head, preimages: [] },
      { ...head, preimages: ['0x00'] },
      { ...head, preimages: ['0x0'] },
      {} as SnapshotHead,
      { ...head, certificate: { ...head.certificate, signers: [0, 1, 2] } },
      encodeHead(block, few),
    ];
    for (const each of refused) expect(certifiedPreimage(each, committees.value).ok).toBe(false);
  });
});

describe('S1: signatures by the platform, as libsodium judges them', () => {
  it.for(EDGE_CASES)('edge case %s', async ([, accepted, key, message, signature]) => {
    const check = await createAccountChecks();
    if (check === undefined) throw new Error('this Node has no Ed25519');
    const batch = [{ publicKey: fromHex(key), message: fromHex(message), signature: fromHex(signature) }];
    expect(await check(batch)).toEqual([accepted]);
  });
});
