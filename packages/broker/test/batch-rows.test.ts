/** Which rows a header has, and which client is shown them, when streams and rows change meanwhile. */
import { describe, expect, it } from 'vitest';
import { createWorld, createWorldWithRow, row } from './world.ts';

describe('rows of an older and a newer stream in one batch', () => {
  it('are shown to the newest, neighbours of a sender together, and run under its share (Q2)', async () => {
    const world = createWorld();
    const older = world.connect([0]);
    await world.run(500);
    older.rows([row(0, 5, 1, 2)], { signed: true });
    await world.run(15);
    const newer = world.connect([0]);
    await world.run(30);
    newer.rows([row(0, 5, 1, 1), row(0, 5, 1, 3)], { signed: true });
    await world.run(1_000);
    expect(newer.all('headerWithPaths').map(({ own }) => own)).toEqual([[{ sender: 0, first: 0, count: 3 }]]);
    expect(world.offered.map(({ batch }) => batch.stragglers)).toEqual([[]]);
    expect(await world.areValid()).toEqual([true]);
    world.commit([0]);
    await world.run(50);
    expect(newer.all('outcomes').map(({ outcomes }) => outcomes)).toEqual([new Uint8Array(3)]);
    expect(world.broker.stats().rows).toBe(0);
  });
});

describe('a row that ended while it waited for another batch', () => {
  it('is in none: its client could not sign for it', async () => {
    const world = createWorld();
    const bob = world.connect([1]);
    const { alice } = await createWorldWithRow({ world });
    world.moveEpoch();
    // Its rows are in a new window from here on.
    await world.run(1_490);
    bob.rows([row(1, 5, 1)]);
    await world.run(30);
    expect(world.broker.stats().waiting).toBe(2);
    world.commit([0], { epoch: 4, height: 33 });
    await world.run(1_000);
    expect(alice.headers()).toHaveLength(1);
    expect(alice.all('outcomes')).toHaveLength(1);
    expect(world.rowsOf(1).map(({ sender }) => sender)).toEqual([1]);
  });
});

describe('a straggler signature', () => {
  it('is not used above its fee or after its expiry, which may have come near since intake (Z9)', async () => {
    const world = createWorld();
    const [alice, bob] = [world.connect([0]), world.connect([1])];
    await world.run(100);
    alice.rows([row(0, 5, 1)], { signed: true, terms: { feeCap: 150n } });
    bob.rows([row(1, 5, 1)], { signed: true, terms: { feeCap: 250n } });
    await world.run(30);
    world.setChain({ stragglerFee: 200n });
    await world.run(500);
    expect(alice.all('dropped').flatMap(({ rows }) => rows)).toEqual([
      { sender: 0, sequence: 1, reason: 'fee-cap-too-low' },
    ]);
    expect(world.rowsOf(0).map(({ sender }) => sender)).toEqual([1]);
  });
});

describe('a row that came near its limits while it waited', () => {
  it.each([
    ['its straggler signature would expire before the batch', 'batch-expired', { signed: true }, {}],
    ['its client allows no such fee', 'fee-cap-too-low', {}, { feeCap: 51n }],
  ] as const)('is dropped: %s (Q4)', async (_, reason, { signed = false }: { signed?: boolean }, chain) => {
    const world = createWorld();
    const alice = world.connect([0]);
    await world.run(100);
    alice.rows([row(0, 5, 1)], { signed, terms: { expiryMs: world.nowMs() + 30_040 } });
    await world.run(30);
    world.setChain(chain);
    await world.run(500);
    expect(alice.all('dropped').flatMap(({ rows }) => rows)).toEqual([{ sender: 0, sequence: 1, reason }]);
    expect(world.offered).toEqual([]);
  });
});

describe('a fault of the node', () => {
  it('at the end of a window costs the rows of that window, not the node', async () => {
    const { world, alice } = await createWorldWithRow({ afterMs: 30 });
    // Its header has no bytes.
    world.setChain({ feeCap: undefined as never });
    await world.run(500);
    expect(alice.all('dropped')[0]?.rows).toEqual([{ sender: 0, sequence: 1, reason: 'not-ready' }]);
  });

  it('that refuses checks for a while costs no row that was signed', async () => {
    let faults = 3;
    const world = createWorld({ sharesFault: () => faults-- > 0 });
    const { alice } = await createWorldWithRow({ world, afterMs: 2_000 });
    expect(alice.all('dropped')).toEqual([]);
    expect(world.offered).toHaveLength(1);
  });
});

describe('rows without a straggler signature whose stream is gone', () => {
  it('are in no header, so that connecting and leaving costs the others nothing (Q7)', async () => {
    const world = createWorld();
    const alice = world.connect([0]);
    await world.run(100);
    for (let i = 1; i <= 3; i++) {
      const mallory = world.connect([1]);
      await world.run(100);
      alice.rows([row(0, 5, 1, i)]);
      mallory.rows([row(1, 5, 1, i)]);
      await world.run(30);
      mallory.disconnect();
      await world.run(1_000);
    }
    expect(alice.headers()).toHaveLength(3);
    expect(world.offered).toHaveLength(3);
    expect(world.broker.stats().rows).toBe(3);
  });
});

describe('rows without a straggler signature whose sender is on a newer stream', () => {
  it('are in no header: the client may not know them there (Q2, Q7)', async () => {
    const world = createWorld();
    const older = world.connect([0, 1]);
    await world.run(500);
    older.rows([row(0, 5, 1)]);
    await world.run(15);
    const newer = world.connect([0]);
    await world.run(500);
    expect(older.closed).toBeUndefined();
    expect([older, newer].flatMap((client) => client.headers())).toEqual([]);
    expect(older.all('dropped').flatMap(({ rows }) => rows)).toEqual([
      { sender: 0, sequence: 1, reason: 'share-missing' },
    ]);
  });
});

describe('a client whose connection broke while its batch waited for a block', () => {
  it('has the outcomes on its newest stream (Q9)', async () => {
    const { world, alice } = await createWorldWithRow();
    alice.disconnect();
    const newest = world.connect([0, 1]);
    await world.run(100);
    world.commit([0]);
    await world.run(50);
    expect(newest.all('outcomes').map(({ outcomes }) => outcomes)).toEqual([new Uint8Array(1)]);
    expect(world.broker.stats().rows).toBe(0);
  });

  it('has its rows back on its newest stream (Q9)', async () => {
    const { world, alice } = await createWorldWithRow();
    alice.disconnect();
    const newest = world.connect([0]);
    await world.run(30_500);
    world.commit([]);
    await world.run(500);
    expect(newest.all('dropped')[0]?.rows).toEqual([{ sender: 0, sequence: 1, reason: 'share-missing' }]);
  });

  it('has no outcomes of senders that are on another stream', async () => {
    const world = createWorld();
    const gateway = world.connect([0, 1]);
    await world.run(100);
    gateway.rows([row(0, 5, 1), row(1, 5, 1)]);
    await world.run(500);
    gateway.disconnect();
    const newer = [world.connect([0]), world.connect([1])];
    await world.run(100);
    world.commit([0]);
    await world.run(50);
    expect(newer.flatMap((client) => client.all('outcomes'))).toEqual([]);
    expect(world.broker.stats().rows).toBe(0);
  });
});

describe('a stream that a header cuts off, as it does not read', () => {
  it('is not waited for', async () => {
    const world = createWorld({}, { unsentBytesMax: 100 });
    let isStuck = false;
    const slow = world.connect([1], { isStuck: () => isStuck });
    await createWorldWithRow({ world, signed: true, afterMs: 0 });
    slow.rows([row(1, 5, 1)], { signed: true });
    isStuck = true;
    await world.run(150);
    expect(slow.closed).toBe('slow');
    expect(world.offered.map(({ batch }) => batch.stragglers.length)).toEqual([1]);
  });

  it('has no missing share counted: it could not see the header (Q8)', async () => {
    const world = createWorld({}, { unsentBytesMax: 100 });
    for (let i = 1; i <= 4; i++) {
      let isStuck = false;
      const slow = world.connect([1], { isStuck: () => isStuck });
      await world.run(100);
      slow.rows([row(1, 5, 1, i)]);
      isStuck = true;
      await world.run(800);
      expect(slow.closed).toBe('slow');
    }
    expect(world.counted.get('broker_rows_refused') ?? 0).toBe(0);
    expect(world.counted.get('broker_rows_gathered')).toBe(4);
  });

  it('costs the others no header if much was unread before (Q7)', async () => {
    const world = createWorld({}, { unsentBytesMax: 4_000 });
    let isStuck = false;
    const slow = world.connect([1], { isStuck: () => isStuck });
    const { alice } = await createWorldWithRow({ world, afterMs: 0 });
    isStuck = true;
    slow.rows(Array.from({ length: 500 }, (_, i) => row(2, 5, 1, 1 + i)));
    slow.rows([row(1, 5, 1)]);
    await world.run(1_000);
    expect(slow.unsentBytes()).toBeGreaterThan(2_000);
    expect(alice.headers().map(({ header }) => header.rows)).toEqual([1]);
    expect(slow.closed).toBeUndefined();
  });
});
