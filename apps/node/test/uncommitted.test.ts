import type { LedgerReader } from '@slipstream/ledger';
import { RECORDED_AHEAD_BLOCKS } from '@slipstream/pipeline';
import { type Block, hexOf, idFromHex } from '@slipstream/types';
import { expect, it } from 'vitest';
import { openUncommitted } from '../src/assembly/uncommitted.ts';

const idAt = (height: number) => idFromHex<never>(height.toString(16).padStart(64, '0'));

async function opening(tip: number, stateHeight: number) {
  const opened: number[] = [];
  const ledger = {
    tip: async () => ({ height: tip }),
    block: async ({ height }: { readonly height: number }) => ({ blockId: idAt(height), block: { height } as Block }),
  } as unknown as LedgerReader;
  const desk = { open: (_: unknown, { height }: Block) => void opened.push(height) };
  return { opened, uncommitted: await openUncommitted(ledger, hexOf(idAt(stateHeight)), desk) };
}

it('what a crash left between ledger and state store is opened at once', async () => {
  expect((await opening(40, 40)).opened).toEqual([]);
  expect((await opening(40, 39)).opened).toEqual([40]);
});

it('of all blocks since an older copy of the state some are open at a time, in order, and in the end each was', async () => {
  const { opened, uncommitted } = await opening(1_000, 10);
  expect(opened.length).toBe(2 * RECORDED_AHEAD_BLOCKS);
  for (let height = 11; height <= 1_002; height++) {
    await uncommitted.committed({ height } as Block);
    expect(opened.length).toBe(Math.min(990, height - 10 + 2 * RECORDED_AHEAD_BLOCKS));
  }
  expect(opened).toEqual(Array.from({ length: 990 }, (_, i) => 11 + i));
});
