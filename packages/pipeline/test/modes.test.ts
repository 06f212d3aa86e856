import { describe, expect, it } from 'vitest';
import { PIPELINE_MODES, type PipelineMode, STAGE_TABLES, STAGES } from '../src/index.ts';
import {
  finalize,
  GENESIS,
  type Node,
  type Proposed,
  quiet,
  settle,
  stateCertificate,
  until,
  untilCommitted,
  World,
} from './world.ts';

function withChunksOf(world: World): World {
  const other = new World();
  for (const [id, chunk] of world.chunks) other.chunks.set(id, chunk);
  return other;
}

describe('the stage table', () => {
  it.each(PIPELINE_MODES)('has no cycle: every stage is reachable (%s)', (mode) => {
    const reached = new Set<string>();
    for (const _ of STAGES) {
      for (const stage of STAGES) {
        if (STAGE_TABLES[mode][stage].after.every((earlier) => reached.has(earlier))) reached.add(stage);
      }
    }
    expect(reached.size).toBe(STAGES.length);
  });
});

describe('the sequential mode', () => {
  it('executes after order, and writes after the certificate', async () => {
    const world = new World();
    const node = await world.open({ mode: 'sequential' });
    const block = world.blockOn(GENESIS);
    const digesting = node.pipeline.execute(block.blockId, block.block);
    await quiet();
    expect(node.pipeline.status().executedHeight).toBe(0);
    finalize(node, block);
    const digest = await digesting;
    await quiet();
    expect(node.state.pending()).toEqual([]);
    node.pipeline.certified(stateCertificate(block, digest));
    await untilCommitted(node, 1);
    expect(node.committed[0]?.hidden.share).toBe(0);
  });

  it('equals the parallel mode byte for byte: state files, journal, ledger and digests', async () => {
    const world = new World();
    const chain = world.chainOn(GENESIS, 12);
    const results = await Promise.all(PIPELINE_MODES.map((mode) => runChain(withChunksOf(world), chain, mode)));
    expect(results[0]).toEqual(results[1]);
  });
});

async function runChain(world: World, chain: readonly Proposed[], mode: PipelineMode) {
  const node: Node = await world.open({ mode });
  const digests = [];
  for (const block of chain) digests.push(await settle(node, block));
  await untilCommitted(node, chain.length);
  await until(() => node.committed.length === chain.length);
  await node.pipeline.stop();
  const all = { from: new Uint8Array([0]), to: new Uint8Array([255]), limit: 100_000 };
  return {
    digests,
    files: world.disk.paths().map((path) => [path, world.disk.contents(path)]),
    ledger: await world.store.mount().range(all),
    receipts: node.committed.map(({ receipts }) => receipts),
  };
}
