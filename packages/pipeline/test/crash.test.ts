import { CRASH_MODES, type CrashMode, createLifetime } from '@slipstream/simulator';
import type { Block, BlockId, StateDigest } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RECORDED_AHEAD_BLOCKS } from '../src/index.ts';
import { reconcile } from '../src/reconcile.ts';
import { createReplayWindow } from '../src/replay-window.ts';
import {
  digestsOf,
  filesOf,
  finalize,
  GENESIS,
  GENESIS_HASH,
  genesis,
  type Node,
  type Proposed,
  putFiles,
  quiet,
  stateCertificate,
  transaction,
  until,
  untilCommitted,
  World,
} from './world.ts';

/** A node that dies at its n-th disk or store call, and comes back. */
class MortalWorld extends World {
  readonly hooks: { onCall?: () => void };
  announced = 0;
  behind = 0;

  constructor(chunksOf: World, seed: number) {
    const hooks: { onCall?: () => void } = {};
    super({ seed, slow: seed % 2 === 0, onCall: () => hooks.onCall?.() });
    this.hooks = hooks;
    for (const [id, chunk] of chunksOf.chunks) this.chunks.set(id, chunk);
  }

  /** Runs the chain until it is committed, or until the n-th call from now. Returns whether it came to the end. */
  async live(story: Story, callsMax: number, mode: CrashMode): Promise<boolean> {
    const lifetime = createLifetime();
    let calls = 0;
    let died = false;
    this.hooks.onCall = () => {
      if (++calls < callsMax) return;
      died = true;
      lifetime.end();
    };
    let ended = false;
    const life = this.open({ lifetime })
      .then((node) => this.feed(node, story))
      .then(() => {
        ended = true;
      });
    await Promise.race([life, until(() => died || ended)]);
    delete this.hooks.onCall;
    lifetime.end();
    this.disk.crash(mode);
    this.bodies.crash(mode);
    this.store.crash(mode);
    this.kept.crash(mode);
    return ended;
  }

  /** As consensus does after a restart: everything above the committed height again, rivals first. */
  async feed(node: Node, { chain, rivals, digests }: Story): Promise<void> {
    const { ledgerHeight, stateHeight } = node.pipeline.reconciled;
    expect(ledgerHeight).toBeGreaterThanOrEqual(this.announced);
    if (ledgerHeight > stateHeight) this.behind += 1;
    // What this life will not execute again.
    expect(await this.unkept(chain.slice(0, stateHeight).map(({ block }) => block))).toEqual([]);
    node.pipeline.onCommitted(({ block }) => {
      this.announced = Math.max(this.announced, block.height);
    });
    for (const { blockId, block } of rivals) void node.pipeline.execute(blockId, block);
    for (const [i, block] of chain.entries()) {
      void node.pipeline.execute(block.blockId, block.block);
      if (i % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
      finalize(node, block);
      node.pipeline.certified(stateCertificate(block, digests[i] as StateDigest));
    }
    await untilCommitted(node, chain.length);
  }
}

interface Story {
  readonly chain: readonly Proposed[];
  readonly rivals: readonly Proposed[];
  readonly digests: readonly StateDigest[];
}

async function story(): Promise<{ readonly world: World; readonly story: Story; readonly end: Node }> {
  const world = new World();
  const twice = transaction();
  const first = world.blockOn(GENESIS, { transactions: [twice] });
  const second = world.blockOn(first, { transactions: [twice, transaction()] });
  const chain = [first, second, ...world.chainOn(second, 2)];
  const rivals = [world.blockOn(GENESIS, { view: 9 }), world.blockOn(first, { view: 8 })];
  const digests = await digestsOf(world, chain);
  const end = new MortalWorld(world, 1);
  const node = await end.open();
  await end.feed(node, { chain, rivals, digests });
  return { world, story: { chain, rivals, digests }, end: node };
}

async function check(own: MortalWorld, end: Node, chain: readonly Proposed[]): Promise<void> {
  const node = await own.open();
  expect(node.pipeline.reconciled).toMatchObject({ ledgerHeight: chain.length, stateHeight: chain.length });
  expect(node.state.tip).toEqual(end.state.tip);
  expect(node.state.entries(undefined, 1000)).toEqual(end.state.entries(undefined, 1000));
  for (let at = 0; at <= chain.length; at++) {
    expect(await node.ledger.block({ height: at })).toEqual(await end.ledger.block({ height: at }));
    expect(await node.ledger.receipts(at)).toEqual(await end.ledger.receipts(at));
  }
  expect(await own.unkept(chain.map(({ block }) => block))).toEqual([]);
  expect(node.pipeline.status().replayIds).toBe(end.pipeline.status().replayIds);
}

describe('P6: a crash', () => {
  it.each(CRASH_MODES)(
    'at any call of disk or store loses no reported commit and no chunk of a committed block (%s)',
    async (mode) => {
      const { world, story: scripted, end } = await story();
      let behind = 0;
      for (let at = 1, done = false; !done; at++) {
        const own = new MortalWorld(world, at);
        done = await own.live(scripted, at, mode);
        await own.live(scripted, Number.POSITIVE_INFINITY, 'lose-none');
        await check(own, end, scripted.chain);
        behind += own.behind;
      }
      expect(behind).toBeGreaterThan(0);
    },
  );

  it('repeated any number of times ends in the state of an uninterrupted run', async () => {
    const { world, story: scripted, end } = await story();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom(...CRASH_MODES)), { maxLength: 5 }),
        fc.nat(1000),
        async (deaths, seed) => {
          const own = new MortalWorld(world, seed);
          for (const [calls, mode] of deaths) await own.live(scripted, calls, mode);
          await own.live(scripted, Number.POSITIVE_INFINITY, 'lose-none');
          await check(own, end, scripted.chain);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('reconciling', () => {
  it('refuses a store that is ahead of its ledger', async () => {
    const { world, story: scripted } = await story();
    const own = new MortalWorld(world, 1);
    await own.live(scripted, Number.POSITIVE_INFINITY, 'lose-none');
    const files = filesOf(own);
    const fresh = new MortalWorld(world, 2);
    await fresh.live(
      { ...scripted, chain: scripted.chain.slice(0, 1), rivals: [] },
      Number.POSITIVE_INFINITY,
      'lose-none',
    );
    await putFiles(fresh, files);
    await expect(fresh.open()).rejects.toMatchObject({ code: 'irreconcilable', data: { ledgerHeight: 1 } });
  });

  it('refuses a store that has another state at a block of its ledger', async () => {
    const { state, tree, ledger, pipeline } = await new World().open();
    await pipeline.stop();
    const other = { tip: { ...state.tip, checksum: new Uint8Array(32) } } as typeof state;
    const parts = { tree, ledger, window: createReplayWindow(new Uint8Array(8)) };
    const chain = { genesis, genesisHash: GENESIS_HASH };
    expect((await reconcile({ ...parts, state }, chain)).reconciled).toMatchObject({ ledgerHeight: 0, stateHeight: 0 });
    await expect(reconcile({ ...parts, state: other }, chain)).rejects.toMatchObject({
      code: 'irreconcilable',
      message: expect.stringContaining('checksum'),
    });
  });

  it('executes again the blocks that an older copy of the store lacks', async () => {
    const { world, story: scripted, end } = await story();
    const own = new MortalWorld(world, 3);
    await own.live(
      { ...scripted, chain: scripted.chain.slice(0, 1), rivals: [] },
      Number.POSITIVE_INFINITY,
      'lose-none',
    );
    const files = filesOf(own);
    await own.live(scripted, Number.POSITIVE_INFINITY, 'lose-none');
    await putFiles(own, files);
    const node = await own.open();
    expect(node.pipeline.reconciled).toEqual({ ledgerHeight: 4, stateHeight: 1, created: false });
    await untilCommitted(node, 4);
    expect(node.committed.map(({ block }) => block.height)).toEqual([2, 3, 4]);
    // The certificates that covered them then cover them now.
    const certifiedAt = node.committed.map(({ certificate }) => certificate?.subject.height ?? 0);
    expect(certifiedAt.every((height, i) => height >= i + 2)).toBe(true);
    await node.pipeline.stop();
    await check(own, end, scripted.chain);
  });
});

describe('a store far older than its ledger', () => {
  it('requests the chunks of a bounded number of blocks at a time', async () => {
    const world = new World();
    const chain = world.chainOn(GENESIS, 3 * RECORDED_AHEAD_BLOCKS);
    const digests = await digestsOf(world, chain);
    const own = new MortalWorld(world, 5);
    const start = { chain: chain.slice(0, 1), rivals: [], digests };
    await own.live(start, Number.POSITIVE_INFINITY, 'lose-none');
    const files = filesOf(own);
    await own.live({ chain, rivals: [], digests }, Number.POSITIVE_INFINITY, 'lose-none');
    await putFiles(own, files);
    let underWay = 0;
    let most = 0;
    const chunksOf = async (_: BlockId, block: Block, signal: AbortSignal) => {
      most = Math.max(most, ++underWay);
      await quiet();
      underWay -= 1;
      return own.chunksOf(block, signal);
    };
    const node = await own.open({ components: { chunksOf } });
    expect(node.pipeline.reconciled).toMatchObject({ ledgerHeight: chain.length, stateHeight: 1 });
    await untilCommitted(node, chain.length);
    expect(most).toBe(RECORDED_AHEAD_BLOCKS);
  });
});
