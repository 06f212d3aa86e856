/** Bodies of blocks in files: places, rivals, damage, pruning, and power cuts at any call. */
import { silentTelemetry } from '@slipstream/ports';
import {
  CRASH_MODES,
  type CrashAgain,
  crashAgainAndAgain,
  createRandom,
  createSimDisk,
  type NodeWorld,
  type SimDisk,
} from '@slipstream/simulator';
import { describe, expect, it, test } from 'vitest';
import { createBodyReader, createLedgerReader, type Ledger, openLedger } from '../src/index.ts';
import { keyOf } from '../src/keys.ts';
import {
  account,
  childOf,
  commitAll,
  createStore,
  GENESIS_HASH,
  genesisLink,
  type Link,
  START_MS,
  transactionId,
} from './builders.ts';

const DIRECTORY = 'block-files';
const SEGMENT_BYTES_MAX = 900;
const FLIPPED_BIT = 1;
/** Only an empty one is in the store. */
const STORE_BYTES_MAX = 64;

/** Each prunes the one before: they are 61 seconds apart. */
function chainOf(blocks: number): readonly Link[] {
  const links = [genesisLink()];
  for (let at = 1; at <= blocks; at++) {
    const transactions = at % 4 === 3 ? [] : [`a${at}`, `b${at}`];
    links.push(childOf(links[at - 1] as Link, { transactions, timestampMs: START_MS + at * 61_000 }));
  }
  return links;
}

function machineOf(seed = 1) {
  const store = createStore(seed);
  const disk = createSimDisk({ random: createRandom(`disk/${seed}`) });
  const files = () => ({
    disk: disk.mount(),
    random: createRandom('files'),
    directory: DIRECTORY,
    segmentBytesMax: SEGMENT_BYTES_MAX,
    storeBytesMax: STORE_BYTES_MAX,
  });
  return {
    store,
    disk,
    open: () =>
      openLedger(
        { keyValue: store.mount(), files: files(), telemetry: silentTelemetry },
        { genesisHash: GENESIS_HASH },
      ),
  };
}

/** As another thread reads. */
function readerOf(store: ReturnType<typeof createStore>, disk: SimDisk) {
  const keyValue = store.mount();
  const files = createBodyReader({ disk: disk.mount(), keyValue, telemetry: silentTelemetry }, DIRECTORY);
  return createLedgerReader(keyValue, files);
}

async function expectWhole(ledger: Pick<Ledger, 'receipts' | 'blocksWithReceipts'>, link: Link): Promise<void> {
  const { height } = link.block;
  expect(await ledger.receipts(height)).toEqual(link.receipts);
  expect((await ledger.blocksWithReceipts(height, 1))[0]?.receipts).toEqual(link.receipts);
}

describe('bodies in files', () => {
  it('are read by any thread, found by transaction and account, and after a restart', async () => {
    const machine = machineOf();
    const ledger = await machine.open();
    const chain = chainOf(40);
    await commitAll(ledger, chain);
    expect(machine.disk.paths().length).toBeGreaterThan(2);
    expect((await machine.store.mount().range({ from: keyOf('body'), to: keyOf('place'), limit: 99 })).length).toBe(11);
    const again = await machine.open();
    for (const reader of [ledger, readerOf(machine.store, machine.disk), again]) {
      for (const link of chain) await expectWhole(reader, link);
      expect(await reader.transaction(transactionId('b22'))).toMatchObject({ height: 22, index: 1 });
      const { entries } = await reader.accountTransactions(account('alice'), { limit: 100 });
      expect(entries.length).toBe(60);
    }
    expect((await again.recentBlocks(0)).map(({ executedIds }) => executedIds.length)).toEqual(
      chain.map(({ receipts }) => receipts.length),
    );
  });

  it('P3: of a rival that lost are out of reach, and its place is gone', async () => {
    const machine = machineOf();
    const ledger = await machine.open();
    const [genesis, first] = chainOf(1) as [Link, Link];
    await commitAll(ledger, [genesis]);
    const rival = childOf(genesis, { view: 7, transactions: ['rival'] });
    await ledger.putBlock(rival);
    expect(await ledger.receipts(1)).toBeUndefined();
    await ledger.forgetBlock(rival.blockId);
    expect(await machine.store.mount().get(keyOf('place', rival.blockId))).toBeUndefined();
    await commitAll(ledger, [first]);
    await expectWhole(ledger, first);
    expect(await ledger.transaction(transactionId('rival'))).toBeUndefined();
  });

  it('go with the files of their heights when blocks are pruned', async () => {
    const machine = machineOf();
    const ledger = await machine.open();
    const chain = chainOf(60);
    const counts: number[] = [];
    for (const link of chain) {
      await commitAll(ledger, [link]);
      await ledger.pruneBelow(link.block.height - 6);
      counts.push(machine.disk.paths().length);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(6);
    for (const link of chain.slice(54)) await expectWhole(ledger, link);
    expect(await ledger.receipts(53)).toBeUndefined();
    const places = await machine.store.mount().range({ from: keyOf('place'), to: keyOf('height'), limit: 999 });
    expect(places.length).toBeLessThanOrEqual(12);
  });
});

describe('damage', () => {
  it('K9: of a body is named by its block at each read, and other blocks are there', async () => {
    const machine = machineOf();
    const chain = chainOf(6);
    const ledger = await machine.open();
    await commitAll(ledger, chain);
    await ledger.close();
    for (const path of machine.disk.paths()) {
      const bytes = machine.disk.contents(path) as Uint8Array;
      for (let at = 70; at < bytes.length; at += 97) {
        const flipped = bytes.slice();
        flipped[at] = (flipped[at] as number) ^ FLIPPED_BIT;
        machine.disk.replaceContents(path, flipped);
        const reader = readerOf(machine.store, machine.disk);
        const read = await Promise.allSettled(chain.map((link) => expectWhole(reader, link)));
        const failed = read.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
        expect(failed).toMatchObject([{ code: 'corrupt', data: { table: 'body' } }]);
        machine.disk.replaceContents(path, bytes);
      }
    }
  });

  it('is no reason to leave keys out of the index: the commit that reads a damaged body fails', async () => {
    const machine = machineOf();
    const chain = chainOf(17);
    await commitAll(await machine.open(), chain.slice(0, 17));
    for (const path of machine.disk.paths()) machine.disk.removeContents(path);
    const ledger = await machine.open();
    await expect(commitAll(ledger, chain.slice(17))).rejects.toMatchObject({ code: 'corrupt' });
  });
});

const LAST_HEIGHT = 40;
const RETAINED = 8;

interface Outside {
  /** The highest height whose commit returned. */
  committed: number;
  finished: boolean;
}

async function run({ disk, random, lifetime, keyValue }: NodeWorld, chain: readonly Link[], outside: Outside) {
  const bounds = { segmentBytesMax: SEGMENT_BYTES_MAX, storeBytesMax: STORE_BYTES_MAX };
  const files = { disk, random, directory: DIRECTORY, ...bounds };
  const ledger = await openLedger(
    { keyValue: keyValue('ledger'), files, telemetry: silentTelemetry },
    { genesisHash: GENESIS_HASH },
  );
  const tip = await ledger.tip();
  if (!lifetime.alive) return;
  const from = (tip?.height ?? -1) + 1;
  expect(from).toBeGreaterThan(outside.committed);
  for (let at = tip?.earliestHeight ?? 0; at < from; at++) await expectWhole(ledger, chain[at] as Link);
  for (const link of chain.slice(from)) {
    await ledger.putBlock(childOf(chain[0] as Link, { view: 999, transactions: [`rival of ${link.block.height}`] }));
    await commitAll(ledger, [link]);
    if (!lifetime.alive) return;
    outside.committed = link.block.height;
    await ledger.pruneBelow(link.block.height - RETAINED);
    if (!lifetime.alive) return;
  }
  outside.finished = true;
}

test.each([...CRASH_MODES, 'any of them'] as const)(
  'K1: a power cut at any call (%s) leaves each committed block with its body',
  async (mode) => {
    for (let seed = 0; seed < 8; seed++) await playThrough(seed, mode);
  },
);

async function playThrough(seed: number, mode: CrashAgain['mode']): Promise<void> {
  const outside: Outside = { committed: -1, finished: false };
  const chain = chainOf(LAST_HEIGHT);
  const node = await crashAgainAndAgain({
    seed,
    mode,
    stepsMax: 300,
    work: (world) => run(world, chain, outside),
    isFinished: () => outside.finished,
  });
  expect(node.disk.paths().length).toBeLessThanOrEqual(10);
}
