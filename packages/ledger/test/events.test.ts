/** Pages of an application's events, against the events of every block. */
import { concatBytes } from '@slipstream/primitives';
import { eventOutput } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createLedgerReader, type EventPlace, type LedgerEvent, type LedgerReader } from '../src/index.ts';
import { childOf, commitAll, createStore, genesisLink, type Link, open } from './builders.ts';

/** Spans of two levels, complete ones and one whose steps are under way. */
const BLOCKS = 16 ** 2 + 16 + 2 + 45;
const TOKEN = 0;
const ORDERS = 1;
const NEVER = 2;
const ADDED = 4;
const FILLED = 5;

const nameOf = ({ height, index, position }: EventPlace) => `${height}/${index}/${position}`;
const output = (...events: readonly (readonly [number, number])[]) =>
  concatBytes(...events.map(([application, event]) => eventOutput({ application, event, body: Uint8Array.of(event) })));

/** Tokens seldom; orders in two receipts of each third block, one among others. */
function outputsAt(height: number): Record<string, Uint8Array> {
  const outputs: Record<string, Uint8Array> = {};
  if (height % 37 === 5) outputs[`${height}/0`] = output([TOKEN, 1], [TOKEN, 1]);
  if (height % 3 === 0) outputs[`${height}/1`] = output([ORDERS, ADDED]);
  if (height % 3 === 0) outputs[`${height}/2`] = output([TOKEN, 9], [ORDERS, FILLED], [ORDERS, ADDED]);
  return outputs;
}

function chain(blocks: number): Link[] {
  const links = [genesisLink()];
  for (let height = 1; height <= blocks; height++) {
    const transactions = [0, 1, 2].map((index) => `${height}/${index}`);
    const parent = links[height - 1] as Link;
    const timestampMs = parent.block.timestampMs + 1_000;
    links.push(childOf(parent, { transactions, outputs: outputsAt(height), timestampMs }));
  }
  return links;
}

function placesOf(application: number, event?: number, from = 1): string[] {
  const places: string[] = [];
  for (let height = from; height <= BLOCKS; height++) {
    if (application === TOKEN) {
      if (height % 37 === 5 && event !== 9) places.push(`${height}/0/0`, `${height}/0/1`);
      if (height % 3 === 0 && event !== 1) places.push(`${height}/2/0`);
    } else if (height % 3 === 0) {
      if (event !== FILLED) places.push(`${height}/1/0`);
      if (event !== ADDED) places.push(`${height}/2/1`);
      if (event !== FILLED) places.push(`${height}/2/2`);
    }
  }
  return places;
}

async function all(reader: LedgerReader, application: number, event: number | undefined, limit: number) {
  const seen: LedgerEvent[] = [];
  let from: EventPlace | undefined;
  for (;;) {
    const page = await reader.events({ application, event }, { from, limit });
    if (page === undefined) throw new Error('pruned');
    expect(page.events.length).toBeLessThanOrEqual(limit);
    seen.push(...page.events);
    from = page.next;
    if (!page.more) return { seen, next: from };
  }
}

describe("an application's events", () => {
  it('come in their order in pages of any length, all or of one name, and after a restart', async () => {
    const store = createStore();
    await commitAll(await open(store), chain(BLOCKS));
    const ledger = await open(store);
    for (const [application, event, limit] of [
      [TOKEN, undefined, 1],
      [TOKEN, 1, 7],
      [TOKEN, 9, 100],
      [ORDERS, undefined, 5],
      [ORDERS, FILLED, 100],
      [ORDERS, ADDED, 2],
    ] as const) {
      const { seen, next } = await all(ledger, application, event, limit);
      expect(seen.map(nameOf)).toEqual(placesOf(application, event));
      expect(next).toEqual({ height: BLOCKS + 1, index: 0, position: 0 });
    }
    const { seen } = await all(ledger, ORDERS, FILLED, 100);
    expect(seen[0]).toMatchObject({ application: ORDERS, event: FILLED, body: Uint8Array.of(FILLED) });
  });

  it('go on behind the last one of a page when blocks come', async () => {
    const store = createStore();
    const ledger = await open(store);
    const links = chain(70);
    await commitAll(ledger, links.slice(0, 34));
    const first = await ledger.events({ application: ORDERS }, { limit: 100 });
    expect(first?.more).toBe(false);
    await commitAll(ledger, links.slice(34));
    const second = await ledger.events({ application: ORDERS }, { from: first?.next, limit: 100 });
    expect(second?.events.map(nameOf)).toEqual(placesOf(ORDERS, undefined, 34).slice(0, second?.events.length));
    expect((first?.events.length ?? 0) + (second?.events.length ?? 0)).toBe(3 * Math.floor(70 / 3));
    const ahead = { height: 1_000, index: 0, position: 0 };
    const none = { events: [], next: ahead, more: false, height: 70 };
    expect(await ledger.events({ application: ORDERS }, { from: ahead, limit: 5 })).toEqual(none);
  });

  it('of one block are read alone', async () => {
    const ledger = await open(createStore());
    await commitAll(ledger, chain(20));
    const from = { height: 9, index: 0, position: 0 };
    const page = await ledger.events({ application: ORDERS }, { from, highest: 9, limit: 2 });
    expect(page?.events.map(nameOf)).toEqual(['9/1/0', '9/2/1']);
    expect(page).toMatchObject({ next: { height: 9, index: 2, position: 2 }, more: true });
    const rest = await ledger.events({ application: ORDERS }, { from: page?.next, highest: 9, limit: 2 });
    expect(rest).toMatchObject({ events: [{ height: 9, index: 2, position: 2 }], more: false });
  });

  it('of pruned blocks are refused, and begin at the oldest retained block without a place', async () => {
    const ledger = await open(createStore());
    await commitAll(ledger, chain(120));
    await ledger.pruneBelow(50);
    const earliest = (await ledger.tip())?.earliestHeight ?? 0;
    expect(earliest).toBe(50);
    const from = (height: number) => ({ height, index: 0, position: 0 });
    expect(await ledger.events({ application: ORDERS }, { from: from(49), limit: 5 })).toBeUndefined();
    const page = await ledger.events({ application: ORDERS }, { limit: 1 });
    expect(page?.events.map(nameOf)).toEqual(['51/1/0']);
    expect((await ledger.events({ application: ORDERS }, { from: from(50), limit: 1 }))?.events).toEqual(page?.events);
  });

  it('are found without reading the blocks between them', async () => {
    const store = createStore();
    await commitAll(await open(store), chain(BLOCKS));
    const keyValue = store.mount();
    let reads = 0;
    const counted = {
      ...keyValue,
      get: (key: Uint8Array) => keyValue.get(key),
      getMany(keys: readonly Uint8Array[]) {
        reads += keys.length;
        return keyValue.getMany(keys);
      },
    };
    const reader = createLedgerReader(counted);
    expect((await reader.events({ application: NEVER }, { limit: 100 }))?.events).toEqual([]);
    // Bodies of the heights that no span covers.
    expect(reads).toBeLessThan(40);
  });
});
