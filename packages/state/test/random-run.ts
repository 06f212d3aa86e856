/** Random operations on a store, compared with maps. Records the committed batches, so that a second store can receive only these. */
import { fromHex, toHex } from '@slipstream/primitives';
import type { SeededRandom } from '@slipstream/simulator';
import { expect } from 'vitest';
import { ABSENT, type Batch, type StateStore, type Write } from '../src/index.ts';
import { applied, contentsOf, GENESIS, type Model, packedContentsOf } from './builders.ts';

/** Some values are longer, most have no whole words. */
const COPIED_BYTES = 23;

interface Node {
  readonly block: string;
  readonly parent: string;
  readonly batch: Batch;
  readonly model: Model;
  readonly checksum: string;
}

export interface Run {
  readonly committed: readonly { readonly block: string; readonly batch: Batch; readonly checksum: string }[];
  step(store: StateStore): Promise<void>;
  check(store: StateStore): void;
  /** After a reopening: uncommitted blocks are gone, and a commit that was under way may have succeeded. */
  reopened(store: StateStore): void;
}

export interface RunOptions {
  readonly keys: number;
  readonly writesMax: number;
  readonly valueBytesMax?: number;
}

export function createRun(random: SeededRandom, { keys, writesMax, valueBytesMax = 40 }: RunOptions): Run {
  const nodes = new Map<string, Node>();
  const committed: Node[] = [];
  let appended: string[] = [];
  let tip = GENESIS;
  let model: Model = new Map();
  let underWay: string | undefined;
  let blocks = 0;

  function randomBatch(): Write[] {
    const batch = new Map<number, Write>();
    for (let i = random.below(writesMax + 1); i > 0; i--) {
      const number = random.below(keys);
      const key = new Uint8Array(1 + (number % 37)).fill(number);
      const large = random.chance(0.05) ? 200 : 0;
      const value = random.chance(0.25) ? undefined : random.bytes(large + random.below(valueBytesMax));
      batch.set(number, { key: new Uint8Array([...key, number >> 8]), value });
    }
    return [...batch.values()];
  }

  function prepare(store: StateStore): void {
    const parents = [tip, tip, appended.at(-1) ?? tip, ...nodes.keys()];
    const parent = parents[random.below(parents.length)] as string;
    const block = `b${blocks++}`;
    const batch = randomBatch();
    const { checksum } = store.prepare(parent, block, batch);
    const below = nodes.get(parent)?.model ?? model;
    nodes.set(block, { block, parent, batch, model: applied(below, batch), checksum: toHex(checksum) });
  }

  async function append(store: StateStore): Promise<void> {
    const last = appended.at(-1) ?? tip;
    const next = [...nodes.values()].find(({ parent }) => parent === last);
    if (next === undefined) return prepare(store);
    appended.push(next.block);
    await store.append(next.block);
  }

  function markCommitted(block: string): void {
    const node = nodes.get(block) as Node;
    committed.push(node);
    model = node.model;
    nodes.delete(block);
    for (const { block: rival, parent } of [...nodes.values()]) if (parent === tip) forget(rival);
    tip = block;
    appended = appended.filter((each) => each !== block);
  }

  async function commit(store: StateStore): Promise<void> {
    const block = appended[0];
    if (block === undefined) return append(store);
    underWay = block;
    await store.commit(block);
    underWay = undefined;
    markCommitted(block);
  }

  /** As in the pipeline: a commit does not wait for the next append. */
  async function commitAndAppend(store: StateStore): Promise<void> {
    if (appended.length === 0) return append(store);
    await Promise.all([commit(store), append(store)]);
  }

  function forget(block: string): void {
    nodes.delete(block);
    for (const { block: child, parent } of [...nodes.values()]) if (parent === block) forget(child);
  }

  async function revert(store: StateStore): Promise<void> {
    if (appended.length === 0) return;
    const from = random.below(appended.length);
    const block = appended[from] as string;
    appended = appended.slice(0, from);
    forget(block);
    await store.revert(block);
  }

  function drop(store: StateStore): void {
    const loose = [...nodes.keys()].filter((block) => !appended.includes(block));
    const block = loose[random.below(Math.max(1, loose.length))];
    if (block === undefined) return;
    store.drop(block);
    forget(block);
  }

  function check(store: StateStore): void {
    expect(store.tip.block).toBe(tip);
    expect(store.pending()).toEqual(appended);
    // Before `entries`, which folds at once.
    for (const [key, value] of model) expect(toHex(store.get(fromHex(key)) as Uint8Array)).toBe(value);
    expect(contentsOf(store)).toEqual(model);
    expect(packedContentsOf(store)).toEqual(model);
    for (const [block, node] of nodes) {
      const view = store.view(block);
      for (const { key } of node.batch) {
        const value = view.get(key);
        expect(value && toHex(value)).toBe(node.model.get(toHex(key)));
        const copy = new Uint8Array(COPIED_BYTES);
        expect(view.copy(key, copy)).toBe(value?.length ?? ABSENT);
        const copied = value?.subarray(0, COPIED_BYTES) ?? new Uint8Array();
        expect(toHex(copy)).toBe(toHex(copied).padEnd(2 * COPIED_BYTES, '0'));
      }
    }
  }

  return {
    committed,
    async step(store) {
      const choice = random.below(20);
      if (choice < 8) prepare(store);
      else if (choice < 13) await append(store);
      else if (choice < 16) await commit(store);
      else if (choice < 18) await commitAndAppend(store);
      else if (choice < 19) await revert(store);
      else drop(store);
    },
    check,
    reopened(store) {
      if (underWay !== undefined && store.tip.block === underWay) markCommitted(underWay);
      underWay = undefined;
      nodes.clear();
      appended = [];
      check(store);
    },
  };
}
