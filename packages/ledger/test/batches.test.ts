/** Distilled batches of a block, behind its receipts: found by the ids of their rows, as long as their block is here. */
import { concatBytes, sha256, utf8 } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import { chainOf, childOf, commitAll, createStore, genesisLink, type Link, open, transactionId } from './builders.ts';

const batchId = (name: string): Uint8Array => sha256(utf8(`batch ${name}`));
const record = (name: string): Uint8Array => concatBytes(batchId(name), utf8(name));
/** Position 258 of the batch. */
const rowId = (name: string): Uint8Array => concatBytes(batchId(name).subarray(0, 28), new Uint8Array([0, 0, 1, 2]));
const withBatches = (link: Link, names: readonly string[]): Link => ({ ...link, batches: names.map(record) });

describe('batches', () => {
  it('are found by each row, in spans of the index and in the newest blocks, and nothing else is', async () => {
    const ledger = await open(createStore());
    const chain = chainOf(300).map((link, at) => (at % 7 === 3 ? withBatches(link, [`a${at}`, `b${at}`]) : link));
    await commitAll(ledger, chain);
    for (const at of [3, 10, 17, 241, 255, 262, 283, 297]) {
      const expected =
        at % 7 === 3 ? { height: at, index: 1, records: [record(`a${at}`), record(`b${at}`)] } : undefined;
      const found = await ledger.batchOfRow(rowId(`b${at}`));
      if (expected === undefined) expect(found).toBeUndefined();
      else expect(found).toMatchObject({ ...expected, blockId: (chain[at] as Link).blockId });
    }
    expect(await ledger.batchOfRow(transactionId('transaction of 10'))).toBeUndefined();
    expect(await ledger.transaction(rowId('a10') as never)).toBeUndefined();
    expect((await ledger.transaction(transactionId('transaction of 10')))?.height).toBe(10);
    expect((await ledger.receipts(10))?.length).toBe(1);
  });

  it('are found in a block without transactions', async () => {
    const ledger = await open(createStore());
    const genesis = genesisLink();
    await commitAll(ledger, [genesis, withBatches(childOf(genesis, { transactions: [] }), ['alone'])]);
    expect(await ledger.batchOfRow(rowId('alone'))).toMatchObject({ height: 1, index: 0, records: [record('alone')] });
    expect(await ledger.receipts(1)).toEqual([]);
  });

  it('count as executed for replay protection, and are served beside the receipts', async () => {
    const ledger = await open(createStore());
    const chain = chainOf(3).map((link, at) => (at === 2 ? withBatches(link, ['x', 'y']) : link));
    await commitAll(ledger, chain);
    const [recent] = (await ledger.recentBlocks(0)).slice(2);
    expect(recent?.executedIds).toEqual([transactionId('transaction of 2'), batchId('x'), batchId('y')]);
    const served = await ledger.blocksWithReceipts(1, 3);
    expect(served.map(({ batches }) => batches)).toEqual([[], [record('x'), record('y')], []]);
    expect(served.map(({ receipts }) => receipts.length)).toEqual([1, 1, 1]);
  });

  it('go with their block', async () => {
    const store = createStore();
    const ledger = await open(store);
    const chain: Link[] = [genesisLink()];
    for (let i = 0; i < 40; i++) {
      const parent = chain[i] as Link;
      const child = childOf(parent, { timestampMs: parent.block.timestampMs + 61_000 });
      chain.push(withBatches(child, [`c${i + 1}`]));
    }
    await commitAll(ledger, chain);
    await ledger.pruneBelow(30);
    expect(await ledger.batchOfRow(rowId('c29'))).toBeUndefined();
    expect(await ledger.batchOfRow(rowId('c30'))).toMatchObject({ height: 30 });
  });
});
