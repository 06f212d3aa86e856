/** P11 and P12: seals are reported once they are sure, and the last block of an epoch commits with what ended the epoch. */
import { EPOCH_BLOCKS_MIN, type EpochSeal, readRecord } from '@slipstream/execution';
import { CRASH_MODES, createLifetime } from '@slipstream/simulator';
import { GENESIS_EPOCH, hexOf, type RecordHash, recordHashOf, type StateDigest } from '@slipstream/types';
import { describe, expect, it, vi } from 'vitest';
import { rotationTo } from '../../execution/test/builders.ts';
import { PIPELINE_MODES } from '../src/index.ts';
import {
  endAt,
  filesOf,
  finalize,
  GENESIS,
  GENESIS_HASH,
  genesis,
  type Node,
  type Proposed,
  putFiles,
  quiet,
  settle,
  stateCertificate,
  until,
  untilCommitted,
  World,
  type WorldHooks,
} from './world.ts';

const rotating = (byte: number, epoch = 0) => ({ transactions: [rotationTo(genesis, byte, epoch)] });

const last = (chain: readonly Proposed[]) => chain.at(-1) as Proposed;

interface SealedChain {
  readonly world: World;
  /** Up to the block before the seal. */
  readonly below: readonly Proposed[];
  readonly sealing: Proposed;
  /** Its child that closes nothing, and the one that does. */
  readonly open: Proposed;
  readonly boundary: Proposed;
  /** Of the next epoch. */
  readonly first: Proposed;
  readonly seal: EpochSeal;
}

/** The seal comes from a node of its own. */
async function sealedChain(): Promise<SealedChain> {
  const world = new World();
  const below = world.chainOn(GENESIS, EPOCH_BLOCKS_MIN - 1);
  const sealing = world.blockOn(last(below), rotating(77));
  const node = await open(world);
  const digested = [...below, sealing].map(({ blockId, block }) => node.pipeline.execute(blockId, block));
  await Promise.all(digested);
  const view = node.state.view(hexOf(sealing.blockId));
  const record = readRecord({ get: ({ bytes }) => view.get(bytes) }, 1);
  const recordHash = node.pipeline.preimageOf(sealing.blockId)?.next as RecordHash;
  const seal = { recordHash, height: sealing.block.height, record };
  await node.pipeline.stop();
  const boundary = world.blockOn(sealing, { next: recordHash });
  return { world, below, sealing, open: world.blockOn(sealing), boundary, first: world.blockOn(boundary), seal };
}

/** A node with a disk of its own. */
function open(world: World, options: Parameters<World['open']>[0] = {}): Promise<Node> {
  return copyOf(world).open(options);
}

function copyOf(world: World, hooks: WorldHooks = {}): World {
  const own = new World(hooks);
  for (const [id, chunk] of world.chunks) own.chunks.set(id, chunk);
  return own;
}

async function settleAll(node: Node, chain: readonly Proposed[]): Promise<void> {
  for (const block of chain) await settle(node, block);
  await untilCommitted(node, last(chain).block.height);
}

describe.each(PIPELINE_MODES)('the seal of an epoch (%s)', (mode) => {
  it('is reported once, when the sealing block is executed and certified', async () => {
    const given = await sealedChain();
    const node = await open(given.world, { mode });
    await settleAll(node, given.below);
    const { blockId, block } = given.sealing;
    const digesting = node.pipeline.execute(blockId, block);
    finalize(node, given.sealing);
    const digest = await digesting;
    await quiet();
    expect(node.seals).toEqual([]);
    node.pipeline.certified(stateCertificate(given.sealing, digest));
    await untilCommitted(node, block.height);
    await settleAll(node, [given.open]);
    expect(node.seals).toEqual([given.seal]);
    expect(recordHashOf(GENESIS_HASH, given.seal.record)).toEqual(given.seal.recordHash);
  });

  it('is that of the final boundary, when no certificate is known', async () => {
    const given = await sealedChain();
    const node = await open(given.world, { mode });
    await settleAll(node, given.below);
    const chain = [given.sealing, given.boundary];
    const digesting = chain.map(({ blockId, block }) => node.pipeline.execute(blockId, block));
    for (const block of chain) finalize(node, block);
    const [, digest] = await Promise.all(digesting);
    await quiet();
    expect(node.seals).toEqual([]);
    node.pipeline.moved(endAt(given.boundary));
    expect(node.seals).toEqual([given.seal]);
    node.pipeline.certified(stateCertificate(given.boundary, digest as never));
    await untilCommitted(node, given.boundary.block.height);
    expect(node.seals).toHaveLength(1);
  });
});

describe('the seal', () => {
  it('that a final boundary names is reported once it is executed', async () => {
    const given = await sealedChain();
    const own = copyOf(given.world);
    const node = await own.open();
    await settleAll(node, given.below);
    for (const { chunkId } of given.sealing.block.payload) own.held.add(hexOf(chunkId));
    for (const block of [given.sealing, given.boundary]) finalize(node, block);
    node.pipeline.moved(endAt(given.boundary));
    await quiet();
    expect(node.seals).toEqual([]);
    own.held.clear();
    await until(() => node.seals.length > 0);
    expect(node.seals).toEqual([given.seal]);
  });

  it('of each epoch is reported in order, when several end above a block that waits for its chunks', async () => {
    const given = await sealedChain();
    const { world } = given;
    const upper = [given.first, ...world.chainOn(given.first, EPOCH_BLOCKS_MIN - 2)];
    const sealing = world.blockOn(last(upper), rotating(88, 1));
    const lower = [...given.below, given.sealing, given.boundary];
    const ahead = await open(world);
    const digests = [...lower, ...upper, sealing].map(({ blockId, block }) => ahead.pipeline.execute(blockId, block));
    await Promise.all(digests);
    const next = ahead.pipeline.preimageOf(sealing.blockId)?.next as RecordHash;
    await ahead.pipeline.stop();
    const boundary = world.blockOn(sealing, { next });
    const own = copyOf(world);
    const node = await own.open();
    await settleAll(node, given.below);
    for (const { chunkId } of given.sealing.block.payload) own.held.add(hexOf(chunkId));
    for (const block of [given.sealing, given.boundary]) finalize(node, block);
    node.pipeline.moved(endAt(given.boundary));
    for (const block of [...upper, sealing, boundary]) finalize(node, block);
    node.pipeline.moved(endAt(boundary));
    own.held.clear();
    await until(() => node.seals.length > 1);
    expect(node.seals.map(({ recordHash }) => recordHash)).toEqual([given.seal.recordHash, next]);
    expect(node.seals.map(({ height }) => height)).toEqual([EPOCH_BLOCKS_MIN, 2 * EPOCH_BLOCKS_MIN + 1]);
  });

  it('may be answered with a certificate of a block that the ledger has and the store lacks', async () => {
    const given = await sealedChain();
    const own = copyOf(given.world);
    const before = await own.open();
    await settleAll(before, [...given.below, given.sealing]);
    await before.pipeline.stop();
    const files = filesOf(own);
    const later = await own.open();
    await settleAll(later, [given.open]);
    const digest = later.committed.at(-1)?.stateDigest as StateDigest;
    await later.pipeline.stop();
    await putFiles(own, files);
    const certificate = stateCertificate(given.open, digest);
    const node = await own.open({ onSealed: (pipeline) => pipeline.certified(certificate) });
    const { height } = given.open.block;
    expect(node.pipeline.reconciled).toMatchObject({ ledgerHeight: height, stateHeight: height - 1 });
    await untilCommitted(node, height);
    expect(node.halts).toEqual([]);
    await node.pipeline.stop();
  });

  it('of a rival is not reported', async () => {
    const given = await sealedChain();
    const rival = given.world.blockOn(last(given.below), { ...rotating(88), view: 500 });
    const node = await open(given.world);
    await settleAll(node, given.below);
    await Promise.all([rival, given.sealing].map(({ blockId, block }) => node.pipeline.execute(blockId, block)));
    const others = node.pipeline.preimageOf(rival.blockId)?.next;
    expect(others).not.toEqual(given.seal.recordHash);
    expect(node.seals).toEqual([]);
    await settleAll(node, [given.sealing]);
    expect(node.seals.map(({ recordHash }) => recordHash)).toEqual([given.seal.recordHash]);
  });

  it('is reported again by a process that begins before the next epoch does, and not after', async () => {
    const given = await sealedChain();
    const own = copyOf(given.world);
    const node = await own.open();
    await settleAll(node, [...given.below, given.sealing]);
    await node.pipeline.stop();
    const between = await own.open();
    expect(between.seals).toEqual(node.seals);
    between.pipeline.finalized(...partsOf(given.boundary));
    between.pipeline.moved(endAt(given.boundary));
    await settleAll(between, [given.boundary]);
    expect(between.seals).toHaveLength(1);
    await between.pipeline.stop();
    const closed = await own.open();
    expect(closed.seals).toEqual(node.seals);
    closed.pipeline.moved(endAt(given.boundary));
    await settleAll(closed, [given.first]);
    await closed.pipeline.stop();
    expect((await own.open()).seals).toEqual([]);
  });
});

function partsOf(proposed: Proposed): Parameters<Node['pipeline']['finalized']> {
  return [proposed.blockId, proposed.block, endAt(proposed).certificate as never];
}

describe('the last block of an epoch', () => {
  it('commits with its end and the next record, and waits for them', async () => {
    const given = await sealedChain();
    const node = await open(given.world);
    const committed = vi.spyOn(node.ledger, 'commit');
    await settleAll(node, [...given.below, given.sealing]);
    await settle(node, given.boundary);
    await settle(node, given.first);
    await quiet();
    expect(node.pipeline.status()).toMatchObject({ committedHeight: given.sealing.block.height, certifiedHeight: 66 });
    node.pipeline.moved(endAt(given.boundary));
    await untilCommitted(node, given.first.block.height);
    const begun = committed.mock.calls.map(([, { newEpoch }]) => newEpoch);
    expect(begun.at(-2)).toEqual({ record: given.seal.record, end: endAt(given.boundary) });
    expect(begun.filter((each) => each !== undefined)).toHaveLength(1);
    expect(await node.ledger.record(given.first.block.epoch)).toEqual(given.seal.record);
    const handover = await node.ledger.handover(GENESIS_EPOCH);
    expect(handover?.preimage).toMatchObject({ blockId: given.boundary.blockId, next: given.seal.recordHash });
  });

  it('leaves the same bytes in both modes', async () => {
    const given = await sealedChain();
    const all = { from: new Uint8Array([0]), to: new Uint8Array([255]), limit: 100_000 };
    const results = PIPELINE_MODES.map(async (mode) => {
      const own = copyOf(given.world);
      const node = await own.open({ mode });
      await settleAll(node, [...given.below, given.sealing]);
      await settle(node, given.boundary);
      node.pipeline.moved(endAt(given.boundary));
      await settleAll(node, [given.first]);
      await node.pipeline.stop();
      return {
        seals: node.seals,
        files: own.disk.paths().map((path) => [path, own.disk.contents(path)]),
        ledger: await own.store.mount().range(all),
      };
    });
    const [parallel, sequential] = await Promise.all(results);
    expect(parallel).toEqual(sequential);
  });

  it('is final before it ends the epoch', async () => {
    const given = await sealedChain();
    const node = await open(given.world);
    await settleAll(node, [...given.below, given.sealing]);
    void node.pipeline.execute(given.boundary.blockId, given.boundary.block);
    expect(() => node.pipeline.moved(endAt(given.boundary))).toThrow(/is not final yet/);
  });

  it.each(CRASH_MODES)('has its end in the ledger after a crash at any call (%s)', async (crash) => {
    const given = await sealedChain();
    let hadBoundary = 0;
    for (let at = 1, done = false; !done; at++) {
      const hooks: { onCall?: () => void } = {};
      const own = copyOf(given.world, hooks);
      const before = await own.open();
      await settleAll(before, given.below);
      await before.pipeline.stop();
      done = await dieAt(own, hooks, given, at);
      own.disk.crash(crash);
      own.bodies.crash(crash);
      own.store.crash(crash);
      own.kept.crash(crash);
      const node = await own.open();
      const { ledgerHeight } = node.pipeline.reconciled;
      if (ledgerHeight === given.boundary.block.height) hadBoundary += 1;
      const isClosed = ledgerHeight >= given.boundary.block.height;
      expect(await node.ledger.epochEnd(GENESIS_EPOCH)).toEqual(isClosed ? endAt(given.boundary) : undefined);
      await feed(node, given);
      expect(node.seals.map(({ recordHash }) => recordHash).slice(0, 1)).toEqual(
        node.pipeline.reconciled.stateHeight > given.boundary.block.height ? [] : [given.seal.recordHash],
      );
      await node.pipeline.stop();
    }
    expect(hadBoundary).toBeGreaterThan(0);
  });
});

/** As consensus does after a restart: all above the committed height again. */
async function feed(node: Node, { sealing, boundary, first }: SealedChain): Promise<void> {
  for (const block of [sealing, boundary, first]) {
    const digesting = node.pipeline.execute(block.blockId, block.block);
    finalize(node, block);
    if (block === boundary) node.pipeline.moved(endAt(boundary));
    node.pipeline.certified(stateCertificate(block, await digesting));
  }
  await untilCommitted(node, first.block.height);
}

/** Whether it came to the end. */
async function dieAt(
  world: World,
  hooks: { onCall?: () => void },
  given: SealedChain,
  callsMax: number,
): Promise<boolean> {
  const lifetime = createLifetime();
  let calls = 0;
  let ended = false;
  hooks.onCall = () => {
    if (++calls >= callsMax) lifetime.end();
  };
  const life = world
    .open({ lifetime })
    .then((node) => feed(node, given))
    .then(() => {
      ended = true;
    });
  await Promise.race([life, until(() => !lifetime.alive || ended)]);
  delete hooks.onCall;
  lifetime.end();
  return ended;
}
