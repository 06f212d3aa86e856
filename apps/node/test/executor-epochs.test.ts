/** Epochs across the executor's thread: seals and records out, ends in, and what a restart finds. */
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EPOCH_BLOCKS_MIN, type EpochSeal } from '@slipstream/execution';
import { DATA } from '@slipstream/node-home';
import { type EpochEnd, GENESIS_EPOCH, recordHashOf, recordOfGenesis } from '@slipstream/types';
import { afterEach, expect, it } from 'vitest';
import * as arrange from '../../../packages/execution/test/builders.ts';
import type { Executor } from '../src/executor/executor.ts';
import {
  childOf,
  chunkId,
  createFolders,
  finalizationOf,
  type Made,
  type Opened,
  openOn,
  ROOT,
  settle,
  settleAll,
  supplied,
} from './executor-world.ts';

const { GENESIS_HASH, NOW_MS } = arrange;
const genesis = { ...arrange.genesis({ 1: 5n }), timestampMs: NOW_MS };
const CHUNK = chunkId(1);

const { newFolder, later, clear } = createFolders();
afterEach(clear);

async function open(folder: string): Promise<Opened> {
  const executor = await openOn(folder, genesis, () => supplied([arrange.rotationTo(genesis, 77)]));
  later(executor.stop);
  return executor;
}

/** Up to the sealing block. */
function sealingChain(): readonly Made[] {
  const chain = [childOf(ROOT, [CHUNK])];
  while (chain.length < EPOCH_BLOCKS_MIN) chain.push(childOf(chain.at(-1) as Made));
  return chain;
}

const endOf = (boundary: Made): EpochEnd => ({ ...boundary, fillers: [], certificate: finalizationOf(boundary) });
const epochsOf = (executor: Executor) => executor.records().map((record) => record.epoch);

it('reports the seal before the boundary commits, and enters the next epoch with the boundary', async () => {
  const executor = await open(await newFolder());
  expect(executor.records()).toEqual([recordOfGenesis(genesis)]);
  const chain = sealingChain();
  await settleAll(executor, chain);
  const [seal] = executor.seals as [EpochSeal];
  expect(seal.height).toBe(EPOCH_BLOCKS_MIN);
  expect(seal.record.members[0]?.blsPublicKey).toEqual(new Uint8Array(48).fill(77));
  expect(seal.recordHash).toEqual(recordHashOf(GENESIS_HASH, seal.record));
  expect(executor.records()).toEqual([recordOfGenesis(genesis), seal.record]);
  expect(executor.record().epoch).toBe(0);
  const boundary = childOf(chain.at(-1) as Made, [], seal.recordHash);
  await settle(executor, boundary);
  executor.moved(endOf(boundary));
  await settleAll(executor, [childOf(boundary)]);
  expect(executor.record()).toEqual(seal.record);
  expect(executor.reports.indexOf(`sealed ${seal.height}`)).toBeLessThan(
    executor.reports.indexOf(`committed ${boundary.block.height}`),
  );
  expect(executor.seals).toHaveLength(1);
});

it('finds records, epoch and seal again after a restart, before the boundary and after it', async () => {
  const folder = await newFolder();
  const before = await open(folder);
  const chain = sealingChain();
  await settleAll(before, chain);
  await before.stop();
  const sealed = await open(folder);
  await expect.poll(() => sealed.seals).toEqual(before.seals);
  expect(sealed.records()).toEqual(before.records());
  expect(sealed.record().epoch).toBe(0);
  const { recordHash, record } = sealed.seals[0] as EpochSeal;
  const boundary = childOf(chain.at(-1) as Made, [], recordHash);
  await settle(sealed, boundary);
  sealed.moved(endOf(boundary));
  await expect.poll(() => sealed.status().committedHeight).toBe(boundary.block.height);
  await sealed.stop();
  const closed = await open(folder);
  expect(closed.record()).toEqual(record);
  expect(epochsOf(closed)).toEqual([0, 1]);
  await settleAll(closed, [childOf(boundary)]);
  expect(closed.record()).toEqual(record);
});

it('has the records that an old copy of the state lacks from the ledger', async () => {
  const folder = await newFolder();
  const state = join(folder, DATA.state);
  const before = await open(folder);
  const chain = sealingChain();
  await settleAll(before, chain.slice(0, -1));
  await before.stop();
  await cp(state, `${state}-old`, { recursive: true });
  const after = await open(folder);
  await settleAll(after, chain.slice(-1));
  const { recordHash, record } = after.seals[0] as EpochSeal;
  const boundary = childOf(chain.at(-1) as Made, [], recordHash);
  await settle(after, boundary);
  after.moved(endOf(boundary));
  const first = childOf(boundary);
  await settleAll(after, [first]);
  await after.stop();
  await rm(state, { recursive: true });
  await rename(`${state}-old`, state);
  const again = await open(folder);
  expect(again.record()).toEqual(record);
  expect(again.records()).toEqual([recordOfGenesis(genesis), record]);
  await expect.poll(() => again.status().committedHeight).toBe(first.block.height);
  expect(again.record()).toEqual(record);
  expect(again.seals).toEqual(after.seals);
});

it('has the boundary uncommitted after a restart that lost the end, and takes it again', async () => {
  const folder = await newFolder();
  const before = await open(folder);
  const chain = sealingChain();
  await settleAll(before, chain);
  const { recordHash } = before.seals[0] as EpochSeal;
  const boundary = childOf(chain.at(-1) as Made, [], recordHash);
  await settle(before, boundary);
  await before.stop();
  const again = await open(folder);
  expect(again.status().committedHeight).toBe(EPOCH_BLOCKS_MIN);
  expect(again.record().epoch).toBe(GENESIS_EPOCH);
  await settle(again, boundary);
  again.moved(endOf(boundary));
  await expect.poll(() => again.status().committedHeight).toBe(boundary.block.height);
  expect(again.record().epoch).toBe(1);
});
