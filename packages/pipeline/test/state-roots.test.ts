import { toHex } from '@slipstream/primitives';
import type { StateStore } from '@slipstream/state';
import { openStateTree, type StateTree, verifyPath } from '@slipstream/state-tree';
import type { DigestPreimage } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { accountStateKey } from '../../execution/src/state-keys.ts';
import { treeOfStore } from '../src/index.ts';
import {
  account,
  digestsOf,
  finalize,
  GENESIS,
  type Node,
  quiet,
  settle,
  stateCertificate,
  until,
  untilCommitted,
  World,
} from './world.ts';

const components = { secret: new Uint8Array(32).fill(5), pause: async () => {} };

const keyOf = (number: number): Uint8Array => accountStateKey(account(number)).bytes;

async function preimageAt({ ledger }: Node, height: number): Promise<DigestPreimage> {
  const [found] = await ledger.preimages(height as DigestPreimage['height'], height as DigestPreimage['height']);
  if (found === undefined) throw new Error(`no preimage of height ${height}`);
  return found;
}

/** Of the store's contents, and of one entry that no block wrote. */
function treeWithMore(state: StateStore): Promise<StateTree> {
  const more = {
    bytes: Uint8Array.of(0x7a, 1),
    keyBytes: Uint8Array.of(1),
    valueBytes: Int32Array.of(1),
  };
  return openStateTree(components, { block: state.tip.block, entries: [...state.packedEntries(), more] });
}

describe('R11: the root in a digest', () => {
  it('is that of the contents after the block, from genesis on, also after a rival', async () => {
    const world = new World({ slow: true });
    const node = await world.open();
    const rootOf = async () => {
      const fresh = await treeOfStore(node.state, components);
      return fresh.root(fresh.tip);
    };
    expect((await preimageAt(node, 0)).stateRoot).toEqual(await rootOf());
    const rival = world.blockOn(GENESIS);
    void node.pipeline.execute(rival.blockId, rival.block);
    let parent = world.blockOn(GENESIS);
    for (let height = 1; height <= 5; height++) {
      await settle(node, parent);
      await untilCommitted(node, height);
      expect((await preimageAt(node, height)).stateRoot).toEqual(await rootOf());
      parent = world.blockOn(parent);
    }
  });

  it('is the same for a node that saw rivals first', async () => {
    const world = new World({ slow: true, seed: 3 });
    const rivals = world.chainOn(GENESIS, 3);
    const chain = world.chainOn(GENESIS, 3);
    const node = await world.open();
    for (const { blockId, block } of [rivals[0], chain[0], rivals[1], chain[1], rivals[2], chain[2]].flatMap(
      (each) => each ?? [],
    )) {
      void node.pipeline.execute(blockId, block);
    }
    const digests = await Promise.all(chain.map(({ blockId, block }) => node.pipeline.execute(blockId, block)));
    expect(digests.map(toHex)).toEqual((await digestsOf(world, chain)).map(toHex));
  });

  it('that the contents do not have at a start is refused', async () => {
    const world = new World();
    const first = await world.open();
    await settle(first, world.blockOn(GENESIS));
    await untilCommitted(first, 1);
    await first.pipeline.stop();
    await first.state.close();
    await first.ledger.close();
    await expect(world.open({ treeOf: treeWithMore })).rejects.toMatchObject({
      code: 'irreconcilable',
      message: expect.stringContaining('root'),
    });
  });

  it('that differs in one node stops this node (P4)', async () => {
    const world = new World();
    const block = world.blockOn(GENESIS);
    const [certified] = await digestsOf(world, [block]);
    if (certified === undefined) throw new Error('no digest');
    const node = await world.open({ treeOf: async (state) => lyingAbout(await treeOfStore(state, components)) });
    const own = await node.pipeline.execute(block.blockId, block.block);
    expect(toHex(own)).not.toBe(toHex(certified));
    finalize(node, block);
    node.pipeline.certified(stateCertificate(block, certified));
    await until(() => node.halts.length > 0);
    expect(node.halts[0]?.type).toBe('diverged');
    expect(node.pipeline.status().committedHeight).toBe(0);
  });
});

/** Of blocks: one bit is wrong. */
function lyingAbout(tree: StateTree): StateTree {
  return {
    ...tree,
    async apply(parent, block, changes) {
      const root = await tree.apply(parent, block, changes);
      root[7] = (root[7] as number) ^ 1;
      return root;
    },
  };
}

describe('R12: proofs', () => {
  it('are of one committed block, value and path, while others commit', async () => {
    const world = new World({ slow: true, seed: 1 });
    const node = await world.open();
    const heights = new Set<number>();
    let checked = 0;
    const check = async () => {
      const keys = [keyOf(1), keyOf(2), keyOf(777)];
      const { height, entries } = await node.pipeline.prove(keys);
      heights.add(height);
      const { stateRoot } = await preimageAt(node, height);
      for (const [i, entry] of entries.entries()) {
        if (!entry.ok) throw new Error(entry.error);
        expect(verifyPath(stateRoot, keys[i] as Uint8Array, entry.value.value, entry.value.path).ok).toBe(true);
        expect(entry.value.value === undefined).toBe(i === 2);
        checked += 1;
      }
    };
    const checks: Promise<void>[] = [check()];
    for (const block of world.chainOn(GENESIS, 12)) {
      checks.push(check());
      await settle(node, block);
      checks.push(check());
    }
    await untilCommitted(node, 12);
    await Promise.all([...checks, check()]);
    expect(checked).toBe(3 * 26);
    expect(heights.size).toBeGreaterThan(2);
  });

  it('are refused once the pipeline has stopped', async () => {
    const world = new World();
    const node = await world.open();
    await node.pipeline.stop();
    await quiet();
    await expect(node.pipeline.prove([keyOf(1)])).rejects.toMatchObject({ code: 'stopped' });
  });
});
