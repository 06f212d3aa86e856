/** Rows of honest clients become batches, and end in outcomes. */
import { describe, expect, it } from 'vitest';
import { createWorld, createWorldWithRow, row } from './world.ts';

/** Byte of an outcome: another row of the sequence ran before. */
const SEQUENCE_USED = 132;

describe('a batch of honest clients', () => {
  it('has all rows of a window, under one aggregate, and ends in outcomes (Q4, Q6, Q9)', async () => {
    const world = createWorld();
    const [alice, gateway] = [world.connect([0]), world.connect([1, 2, 3])];
    await world.run(100);
    expect(alice.all('welcome')[0]?.next).toEqual(Uint32Array.of(1));
    alice.rows([row(0, 5, 100)]);
    gateway.rows([row(1, 0, 5), row(2, 0, 6), row(2, 0, 7, 2), row(3, 0, 8)]);
    await world.run(1_000);
    expect(world.offered).toHaveLength(1);
    expect(world.rowsOf(0).map(({ sender }) => sender)).toEqual([0, 1, 2, 2, 3]);
    expect(await world.areValid()).toEqual([true]);
    expect(world.offered[0]?.batch).toMatchObject({ stragglers: [], header: { knownAt: 20, feeCap: 13n } });
    expect(world.broker.stats()).toMatchObject({ rows: 5, offered: 1, gathering: 0 });

    world.commit([0], { height: 31 });
    await world.run(100);
    expect(alice.all('outcomes')).toMatchObject([{ height: 31, outcomes: Uint8Array.of(0) }]);
    expect(gateway.all('outcomes')[0]?.outcomes).toEqual(new Uint8Array(4));
    expect(world.broker.stats()).toMatchObject({ rows: 0, offered: 0 });
  });

  it('ends 50 ms after its last row, 250 ms after its first (Q4)', async () => {
    const world = createWorld();
    const [alice, bob] = [world.connect([0]), world.connect([1])];
    await world.run(100);
    alice.rows([row(0, 5, 1)]);
    await world.run(55);
    expect(alice.headers()).toHaveLength(0);
    await world.run(25);
    expect(alice.headers()).toHaveLength(1);
    for (let i = 0; i < 10; i++) {
      bob.rows([row(1, 5, 1, 1 + i)]);
      await world.run(40);
    }
    expect(bob.headers()[0]?.header.rows).toBe(7);
  });

  it('ends 250 ms after the one before: rows 51 ms apart make four batches per second (Q4)', async () => {
    const world = createWorld();
    const mallory = world.connect([1]);
    await world.run(100);
    for (let i = 0; i < 60; i++) {
      mallory.rows([row(1, 5, 1, 1 + i)]);
      await world.run(51);
    }
    await world.run(500);
    expect(world.offered.length).toBeGreaterThanOrEqual(10);
    expect(world.offered.length).toBeLessThanOrEqual(14);
    expect(world.offered.reduce((sum, { batch }) => sum + batch.header.rows, 0)).toBe(60);
  });

  it('has all rows of messages that come together (Q4)', async () => {
    const world = createWorld({}, { sessionRowsMax: 5_000 });
    const gateway = world.connect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await world.run(100);
    const rows = Array.from({ length: 12 * 64 }, (_, i) => row(Math.floor(i / 64), 0, 1, 1 + (i % 64)));
    gateway.rows(rows.slice(0, 700));
    gateway.rows(rows.slice(700));
    await world.run(35);
    expect(gateway.headers()).toHaveLength(0);
    await world.run(60);
    expect(gateway.headers()[0]?.header.rows).toBe(768);
  });

  it('comes with paths to few rows, and with columns to many', async () => {
    const world = createWorld();
    const [alice, gateway] = [world.connect([0]), world.connect([1, 2, 3, 4, 5, 6, 7])];
    await world.run(100);
    alice.rows([row(0, 5, 1)]);
    gateway.rows(Array.from({ length: 7 * 40 }, (_, i) => row(1 + Math.floor(i / 40), 0, 1, 1 + (i % 40))));
    await world.run(300);
    expect(alice.all('headerWithPaths')).toHaveLength(1);
    expect(gateway.all('headerWithColumns')).toHaveLength(1);
    expect(await world.areValid()).toEqual([true]);
  });

  it('gives each stream the terms when they change', async () => {
    const world = createWorld();
    const alice = world.connect([0]);
    await world.run(100);
    world.commit([]);
    world.setChain({ rowFee: 11n, feeCap: 15n });
    world.commit([]);
    world.commit([]);
    await world.run(50);
    expect(alice.all('terms').map(({ rowFee }) => rowFee)).toEqual([10n, 11n]);
  });
});

const BUSY = { type: 'later', retryAfterMs: 300, reason: 'queue-full' } as const;

describe('a batch that is lost', () => {
  it('is offered again while its validator asks for that (Q9)', async () => {
    const world = createWorld();
    world.answers.push({ ...BUSY }, { ...BUSY });
    const { alice } = await createWorldWithRow({ world, afterMs: 1_000 });
    expect(world.offered).toHaveLength(3);
    expect(alice.all('dropped')).toEqual([]);
  });

  it('is offered before newer ones, which wait while its validator asks for that (Q9)', async () => {
    const world = createWorld();
    world.answers.push({ ...BUSY, retryAfterMs: 1_000 });
    const bob = world.connect([1]);
    await createWorldWithRow({ world, afterMs: 400 });
    bob.rows([row(1, 5, 1)]);
    await world.run(2_000);
    expect(world.offered.map((_, i) => world.rowsOf(i).map(({ sender }) => sender))).toEqual([[0], [0], [1]]);
    expect(bob.all('dropped')).toEqual([]);
  });

  it('delays no newer one when it is refused for its own sake (Q9)', async () => {
    const world = createWorld();
    world.answers.push({ type: 'later', retryAfterMs: 1_000, reason: 'max-fee-too-low' });
    const bob = world.connect([1]);
    await createWorldWithRow({ world, afterMs: 400 });
    bob.rows([row(1, 5, 1)]);
    await world.run(2_000);
    expect(world.offered.map((_, i) => world.rowsOf(i).map(({ sender }) => sender))).toEqual([[0], [1], [0]]);
  });

  it.each([
    ['of another epoch', { type: 'wrong-epoch' }],
    ['refused', { type: 'refused', reason: 'over-limit' }],
    ['refused for now, until it expired', { ...BUSY, retryAfterMs: 31_000 }],
  ] as const)(
    'has its outcome if a block runs it after an offer without an answer, and then it was %s (Q9)',
    async (_, answer) => {
      const world = createWorld();
      world.answers.push('lost', answer, { ...BUSY });
      const { alice } = await createWorldWithRow({ world, afterMs: 33_000 });
      world.commit([0], { height: 34 });
      await world.run(100);
      expect(alice.all('dropped')).toEqual([]);
      expect(alice.all('outcomes')).toMatchObject([{ height: 34, outcomes: Uint8Array.of(0) }]);
      expect(world.broker.stats().rows).toBe(0);
    },
  );

  it('gives its rows back when its validator never takes it', async () => {
    const world = createWorld();
    world.answers.push({ type: 'refused', reason: 'over-limit' });
    const { alice } = await createWorldWithRow({ world });
    expect(alice.all('dropped')[0]?.rows).toEqual([{ sender: 0, sequence: 1, reason: 'batch-refused' }]);
    expect(world.broker.stats()).toMatchObject({ rows: 0, offered: 0 });
  });

  it('begins again with the next epoch, once, and what ran after all is reported once (Q9)', async () => {
    const { world, alice } = await createWorldWithRow();
    world.moveEpoch();
    await world.run(2_500);
    expect(world.offered.map(({ batch }) => batch.header.epoch)).toEqual([3, 4]);
    expect(await world.areValid()).toEqual([true, true]);
    world.commit([0], { epoch: 4, height: 33 });
    await world.run(50);
    expect(alice.all('outcomes').map(({ height }) => height)).toEqual([33]);
    expect(world.broker.stats().rows).toBe(0);
  });

  it('begins again at once when its validator is in the next epoch already', async () => {
    const world = createWorld();
    world.answers.push({ type: 'wrong-epoch' });
    await createWorldWithRow({ world });
    expect(world.offered).toHaveLength(2);
  });

  it('gives its rows back when it expired and the client allows no later one (Q9)', async () => {
    const { world, alice } = await createWorldWithRow();
    await world.run(30_000);
    world.commit([]);
    await world.run(500);
    expect(alice.all('dropped')[0]?.rows).toEqual([{ sender: 0, sequence: 1, reason: 'batch-expired' }]);
  });

  it('is reported to the operator once when its validator accepts nothing for long, with the reason', async () => {
    const { world } = await createWorldWithRow({ world: createWorld({ offer: async () => BUSY }), afterMs: 9_000 });
    expect(world.logged).toEqual([]);
    await world.run(9_000);
    expect(world.logged).toEqual([['warn', 'batches of this broker are not accepted', { reason: 'queue-full' }]]);
  });

  it('begins again when a block skipped it, once, and is given back when no batch may run any more (Q9)', async () => {
    const { world, alice } = await createWorldWithRow();
    world.commit([], { skipped: [0] });
    await world.run(500);
    expect(world.offered).toHaveLength(2);
    world.commit([], { skipped: [1] });
    await world.run(500);
    expect(alice.all('dropped')).toEqual([]);
    await world.run(30_000);
    world.commit([]);
    await world.run(500);
    expect(world.offered).toHaveLength(2);
    expect(alice.all('dropped')[0]?.rows).toEqual([{ sender: 0, sequence: 1, reason: 'batch-skipped' }]);
    expect(world.broker.stats()).toMatchObject({ rows: 0, offered: 0, offeredBytes: 0 });
  });

  it('has its outcome when it runs after a block skipped a false copy of it, and no other outcome (Q9, D26)', async () => {
    const { world, alice } = await createWorldWithRow();
    world.commit([], { skipped: [0] });
    await world.run(500);
    expect(world.offered).toHaveLength(2);
    world.commit([0], { height: 34 });
    world.commit([1], { height: 35, outcome: SEQUENCE_USED });
    await world.run(500);
    expect(alice.all('outcomes')).toMatchObject([{ height: 34, outcomes: Uint8Array.of(0) }]);
    expect(alice.all('dropped')).toEqual([]);
    expect(world.broker.stats()).toMatchObject({ rows: 0, offered: 0 });
  });

  it('keeps its rows while it may run, also if they are lost on their way into another one (Q9)', async () => {
    let isSilent = false;
    const { world, alice } = await createWorldWithRow({ behaviour: () => (isSilent ? 'withholds' : 'honest') });
    isSilent = true;
    world.commit([], { skipped: [0] });
    await world.run(2_000);
    expect(alice.headers()).toHaveLength(2);
    expect(alice.all('dropped')).toEqual([]);
    world.commit([0], { height: 34 });
    await world.run(100);
    expect(alice.all('outcomes')).toMatchObject([{ height: 34, outcomes: Uint8Array.of(0) }]);
    expect(world.broker.stats()).toMatchObject({ rows: 0, offered: 0 });
  });

  it('gives a row of two batches back once when the node stops (Q9)', async () => {
    const { world, alice } = await createWorldWithRow();
    world.commit([], { skipped: [0] });
    await world.run(500);
    expect(world.broker.stats().offered).toBe(2);
    world.broker.stop();
    await world.run(50);
    expect(alice.all('dropped').flatMap(({ rows }) => rows)).toEqual([{ sender: 0, sequence: 1, reason: 'not-ready' }]);
  });

  it('gives rows back when the node is not ready, and when it stops', async () => {
    const { world, alice } = await createWorldWithRow({ afterMs: 20 });
    world.setChain(undefined);
    await world.run(200);
    expect(alice.all('dropped')[0]?.rows[0]?.reason).toBe('not-ready');
    alice.rows([row(0, 5, 1)]);
    await world.run(50);
    expect(alice.all('refused')[0]).toMatchObject({ retryAfterMs: 500, rows: [{ position: 0, reason: 'not-ready' }] });
    world.broker.stop();
    await world.run(50);
    expect(alice.all('end')[0]?.reason).toBe('stopping');
    expect(world.connect([1]).messages).toEqual([]);
  });
});
