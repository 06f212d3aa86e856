import { silentTelemetry, type Telemetry } from '@slipstream/ports';
import { asId, type Block, type ChunkId } from '@slipstream/types';
import { expect, test } from 'vitest';
import * as kept from '../../../../packages/chunk-files/test/builders.ts';
import {
  chainOf,
  childOf,
  createStore,
  type Link,
  open,
  stateCertificate,
} from '../../../../packages/ledger/test/builders.ts';
import { createRetention } from '../../src/storage/retention.ts';

const SECOND_MS = 1000;
const PAYLOAD = [1, 2].map((fill) => ({
  chunkId: asId<ChunkId>(new Uint8Array(32).fill(fill)),
  certificate: undefined,
}));

/** Blocks ten seconds apart, pruned after each; returns the remaining heights. */
async function run(blocks: number, policy: { readonly archive: boolean; readonly blocks: number }) {
  const store = createStore();
  const ledger = await open(store);
  const machine = kept.newMachine();
  const chunks = await kept.open(machine, { segmentBytesMax: 300 });
  let pruned = 0;
  const telemetry: Telemetry = {
    ...silentTelemetry,
    count(name, by = 1) {
      if (name === 'node_pruned_chunks_total') pruned += by;
    },
  };
  const retention = createRetention({ ledger, chunks, telemetry }, policy);
  let link = chainOf(0)[0] as Link;
  const sizes: number[] = [];
  for (let i = 0; i <= blocks; i++) {
    await ledger.putBlock(link);
    const certificate = i === 0 ? undefined : stateCertificate(link);
    await ledger.commit(link.blockId, { preimages: [link.preimage], certificate, finalization: undefined });
    await chunks.put(link.block.height, [{ chunkId: link.blockId, bytes: new Uint8Array(100) }]);
    await retention.committed(link.block.height);
    sizes.push((await ledger.blocks({ limit: 1000 })).blocks.length);
    link = childOf(link, { timestampMs: (link.block as Block).timestampMs + 10 * SECOND_MS, payload: PAYLOAD });
  }
  return { ledger, sizes, files: machine.disk.paths().length, pruned };
}

test('with a tiny retention the ledger stops growing, and retains the minute that replay protection needs', async () => {
  const { ledger, sizes } = await run(60, { archive: false, blocks: 3 });
  expect(Math.max(...sizes.slice(20))).toBeLessThanOrEqual(10);
  const tip = await ledger.tip();
  expect(tip?.height).toBe(60);
  expect(tip?.earliestHeight).toBe(54);
  expect(await ledger.block({ height: 53 })).toBeUndefined();
  expect(await ledger.block({ height: 54 })).toBeDefined();
});

test('a retention above the minute retains as many blocks as configured', async () => {
  const { ledger } = await run(60, { archive: false, blocks: 20 });
  expect((await ledger.tip())?.earliestHeight).toBe(41);
});

test('chunk files are removed with their heights, and an archive retains them', async () => {
  const { files } = await run(60, { archive: false, blocks: 20 });
  const { files: all } = await run(60, { archive: true, blocks: 20 });
  // Two blocks per file: heights 40 to 60, and 0 to 60.
  expect([files, all]).toEqual([11, 31]);
});

test('each chunk that retention removes is counted', async () => {
  const { ledger, pruned } = await run(60, { archive: false, blocks: 20 });
  const earliest = (await ledger.tip())?.earliestHeight ?? 0;
  expect(pruned).toBe((earliest - 1) * PAYLOAD.length);
  expect((await run(60, { archive: true, blocks: 20 })).pruned).toBe(0);
});

test('an archive retains all', async () => {
  const { ledger, sizes } = await run(40, { archive: true, blocks: 3 });
  expect((await ledger.tip())?.earliestHeight).toBe(1);
  expect(sizes.at(-1)).toBe(41);
});
