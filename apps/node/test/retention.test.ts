import { silentTelemetry } from '@slipstream/ports';
import { createRandom, createSimKeyValue } from '@slipstream/simulator';
import type { Block } from '@slipstream/types';
import { expect, test } from 'vitest';
import {
  chainOf,
  childOf,
  createStore,
  type Link,
  open,
  stateCertificate,
} from '../../../packages/ledger/test/builders.ts';
import { createRetention } from '../src/assembly/retention.ts';

const SECOND_MS = 1000;

/** Blocks ten seconds apart, the ledger pruned after each as the node does; the heights that are still there. */
async function run(blocks: number, policy: { readonly archive: boolean; readonly blocks: number }) {
  const store = createStore();
  const ledger = await open(store);
  const chunks = createSimKeyValue({ random: createRandom(1) }).mount();
  const retention = createRetention({ ledger, chunks, telemetry: silentTelemetry }, policy);
  let link = chainOf(0)[0] as Link;
  const sizes: number[] = [];
  for (let i = 0; i <= blocks; i++) {
    await ledger.putBlock(link);
    const certificate = i === 0 ? undefined : stateCertificate(link);
    await ledger.commit(link.blockId, { preimages: [link.preimage], certificate, finalization: undefined });
    await chunks.batch([{ type: 'put', key: link.blockId, value: new Uint8Array(100) }]);
    await retention.committed(link.block.height);
    sizes.push((await ledger.blocks({ limit: 1000 })).blocks.length);
    link = childOf(link, { timestampMs: (link.block as Block).timestampMs + 10 * SECOND_MS });
  }
  return { ledger, sizes };
}

test('with a tiny retention the ledger stops growing, and keeps the minute that replay protection needs', async () => {
  const { ledger, sizes } = await run(60, { archive: false, blocks: 3 });
  expect(Math.max(...sizes.slice(20))).toBeLessThanOrEqual(10);
  const tip = await ledger.tip();
  expect(tip?.height).toBe(60);
  expect(tip?.earliestHeight).toBe(54);
  expect(await ledger.block({ height: 53 })).toBeUndefined();
  expect(await ledger.block({ height: 54 })).toBeDefined();
});

test('a retention above the minute keeps as many blocks as it says', async () => {
  const { ledger } = await run(60, { archive: false, blocks: 20 });
  expect((await ledger.tip())?.earliestHeight).toBe(41);
});

test('an archive keeps all', async () => {
  const { ledger, sizes } = await run(40, { archive: true, blocks: 3 });
  expect((await ledger.tip())?.earliestHeight).toBe(1);
  expect(sizes.at(-1)).toBe(41);
});
