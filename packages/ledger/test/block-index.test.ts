/** Finding transactions and accounts by spans, against looking at every block. */
import type { KeyValue } from '@slipstream/ports';
import { describe, expect, it } from 'vitest';
import { createLedgerReader } from '../src/index.ts';
import { TABLES } from '../src/keys.ts';
import { account, childOf, commitAll, createStore, genesisLink, type Link, open, transactionId } from './builders.ts';

/** Spans of two levels, complete ones and one whose steps are under way. */
const BLOCKS = 16 ** 2 + 16 + 2 + 45;
const namesAt = (height: number): string[] => {
  if (height % 5 === 4) return [];
  return Array.from({ length: 1 + (height % 3) }, (_, i) => `${height}/${i}`);
};

function chain(blocks: number, gapMs = 100): Link[] {
  const links = [genesisLink()];
  for (let height = 1; height <= blocks; height++) {
    const parent = links[height - 1] as Link;
    links.push(childOf(parent, { transactions: namesAt(height), timestampMs: parent.block.timestampMs + gapMs }));
  }
  return links;
}

const placesOf = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => to - i).flatMap((height) =>
    namesAt(height)
      .map((_, index) => `${height}/${index}`)
      .reverse(),
  );

describe('index entries', () => {
  it('find every transaction and account at every height of the tip, and after a restart', async () => {
    const store = createStore();
    const ledger = await open(store);
    const links = chain(BLOCKS);
    for (const link of links) {
      await commitAll(ledger, [link]);
      const { height } = link.block;
      if (height === 0) continue;
      if (height % 16 > 3 && height < 16 ** 2) continue;
      for (const sought of [1, Math.max(1, height >> 1), Math.max(1, height - 17), height]) {
        const [name] = namesAt(sought);
        if (name === undefined || sought > height) continue;
        expect(await ledger.transaction(transactionId(name))).toMatchObject({ height: sought, index: 0 });
        const { entries } = await ledger.accountTransactions(account(name), { limit: 3 });
        expect(entries.map((entry) => `${entry.height}/${entry.index}`)).toEqual([name]);
      }
    }
    const again = await open(store);
    for (let height = 1; height <= BLOCKS; height++) {
      for (const name of namesAt(height))
        expect(await again.transaction(transactionId(name))).toMatchObject({ height });
    }
    expect(await again.transaction(transactionId('of no block'))).toBeUndefined();
  });

  it('page through an account that every block touches, newest first', async () => {
    const ledger = await open(createStore());
    await commitAll(ledger, chain(BLOCKS));
    const seen: string[] = [];
    for (let before: { height: number; index: number } | undefined, more = true; more; ) {
      const page = await ledger.accountTransactions(account('alice'), before ? { before, limit: 37 } : { limit: 37 });
      seen.push(...page.entries.map(({ height, index }) => `${height}/${index}`));
      before = page.next;
      more = page.next !== undefined;
    }
    expect(seen).toEqual(placesOf(1, BLOCKS));
  });

  it('of pruned blocks are removed with their spans, the others stay', async () => {
    const store = createStore();
    const ledger = await open(store);
    await commitAll(ledger, chain(BLOCKS, 61_000));
    const kept = 16 * 3 + 8;
    const spans = async () => (await spansOf(store)).filter((start) => start < kept - 16 - 24);
    expect((await spans()).length).toBeGreaterThan(0);
    expect(await ledger.pruneBelow(kept)).toBe(kept - 1);
    expect(await spans()).toEqual([]);
    expect(await ledger.transaction(transactionId(`${kept - 1}/0`))).toBeUndefined();
    const { entries } = await ledger.accountTransactions(account('alice'), { limit: 10_000 });
    expect(entries.map(({ height, index }) => `${height}/${index}`)).toEqual(placesOf(kept, BLOCKS));
  });

  it('begin with the first retained block when the ledger starts above genesis', async () => {
    const ledger = await open(createStore());
    const links = chain(70);
    const [first, ...rest] = links.slice(21);
    await ledger.begin(first as Link, {
      preimages: [(first as Link).preimage],
      certificate: undefined,
      finalization: undefined,
    });
    await commitAll(ledger, rest);
    expect(await ledger.transaction(transactionId('20/0'))).toBeUndefined();
    for (const height of [21, 22, 31, 32, 70]) {
      expect(await ledger.transaction(transactionId(`${height}/0`))).toMatchObject({ height });
    }
  });
});

describe('the newest blocks, which no span covers', () => {
  it('are read once, however many lookups find nothing', async () => {
    const store = createStore();
    const writer = await open(store);
    const links = chain(40);
    await commitAll(writer, links.slice(0, 31));
    const { keyValue, receiptsRead } = countingReceipts(store);
    const reader = createLedgerReader(keyValue);
    expect(await reader.transaction(transactionId('of no block'))).toBeUndefined();
    expect(receiptsRead()).toBe(15);
    for (let i = 0; i < 20; i++) expect(await reader.transaction(transactionId(`unknown ${i}`))).toBeUndefined();
    expect((await reader.accountTransactions(account('nobody'), { limit: 5 })).entries).toEqual([]);
    expect(receiptsRead()).toBe(15);
    await commitAll(writer, links.slice(31, 33));
    expect(await reader.transaction(transactionId('still of no block'))).toBeUndefined();
    expect(receiptsRead()).toBe(17);
    expect(await reader.transaction(transactionId('32/0'))).toMatchObject({ height: 32 });
    await commitAll(writer, links.slice(33));
    for (let height = 1; height <= 40; height++) {
      for (const name of namesAt(height))
        expect(await reader.transaction(transactionId(name))).toMatchObject({ height });
    }
  });
});

/** Counts the blocks whose receipts are read. */
function countingReceipts(store: ReturnType<typeof createStore>) {
  const inner = store.mount();
  let read = 0;
  const count = (key: Uint8Array) => {
    if (key[0] === TABLES.body) read += 1;
  };
  const keyValue: KeyValue = {
    ...inner,
    get(key) {
      count(key);
      return inner.get(key);
    },
    getMany(keys) {
      keys.forEach(count);
      return inner.getMany(keys);
    },
  };
  return { keyValue, receiptsRead: () => read };
}

/** First heights of spans of level 1 that have a record. */
async function spansOf(store: ReturnType<typeof createStore>): Promise<number[]> {
  const from = new Uint8Array([10, 1]);
  const entries = await store.mount().range({ from, to: new Uint8Array([10, 2]), limit: 100_000 });
  return [...new Set(entries.map(({ key }) => new DataView(key.buffer, key.byteOffset).getUint32(6)))];
}
