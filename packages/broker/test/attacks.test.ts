/** Clients that lie, each with the broker's answer. A test fails when that answer is taken out. */
import { FAILURE_CODES } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { type Behaviour, connectPenalized, createWorld, createWorldWithRow, row } from './world.ts';

const reasonsOf = (client: ReturnType<ReturnType<typeof createWorld>['connect']>) =>
  client.all('refused').flatMap(({ rows }) => rows.map(({ reason }) => reason));

describe('withheld and false shares', () => {
  it.each(['withholds', 'false'] as const)(
    'make a straggler of a client that %s, and of no other (Q7)',
    async (how) => {
      const world = createWorld();
      const [alice, mallory] = [world.connect([0]), world.connect([1], { behaviour: () => how })];
      await world.run(100);
      alice.rows([row(0, 5, 1)], { signed: true });
      mallory.rows([row(1, 5, 1)], { signed: true });
      await world.run(1_000);
      expect(world.offered).toHaveLength(1);
      expect(world.offered[0]?.batch.stragglers.map(({ position }) => position)).toEqual([1]);
      expect(await world.areValid()).toEqual([true]);
      world.commit([0]);
      await world.run(50);
      expect(alice.all('outcomes')[0]?.stragglers).toEqual(new Uint32Array());
      expect(mallory.all('outcomes')[0]?.stragglers).toEqual(Uint32Array.of(0));
    },
  );

  it.each([
    ['withholds', 'share-missing'],
    ['false', 'share-false'],
  ] as const)('cost a client that %s its row, and the others one round (Q7)', async (how, reason) => {
    const world = createWorld();
    const [alice, mallory] = [world.connect([0]), world.connect([1], { behaviour: () => how })];
    await world.run(100);
    alice.rows([row(0, 5, 1)]);
    mallory.rows([row(1, 5, 1)]);
    await world.run(1_500);
    expect(mallory.all('dropped').flatMap(({ rows }) => rows)).toEqual([{ sender: 1, sequence: 1, reason }]);
    expect(alice.headers()).toHaveLength(2);
    expect(world.rowsOf(0).map(({ sender }) => sender)).toEqual([0]);
    expect(await world.areValid()).toEqual([true]);
  });

  it('are waited for a bounded time: twice the p95 of round trips, 200 to 500 ms (Q6)', async () => {
    const world = createWorld();
    const [alice, mallory] = [world.connect([0]), world.connect([1], { behaviour: () => 'late' })];
    await world.run(100);
    for (let i = 1; i <= 4; i++) {
      alice.rows([row(0, 5, 1, i)], { signed: true });
      if (i === 4) mallory.rows([row(1, 5, 1, i)], { signed: true });
      await world.run(600);
    }
    const waits = () =>
      alice.messages.flatMap((message) => ('shareWithinMs' in message.value ? [message.value.shareWithinMs] : []));
    expect(waits()).toEqual([420, 200, 200, 200]);
    expect(world.offered).toHaveLength(4);
    await world.run(2_000);
    expect(world.broker.stats().roundTripP95Ms).toBeGreaterThan(1_000);
    alice.rows([row(0, 5, 1, 5)], { signed: true });
    await world.run(600);
    expect(waits().at(-1)).toBe(500);
  });

  it('that stand for no sender are missing, and say nothing about the time that clients take (Q6)', async () => {
    const { world, alice } = await createWorldWithRow({ behaviour: () => 'shares nothing', afterMs: 1_000 });
    expect(alice.all('dropped')[0]?.rows[0]?.reason).toBe('share-missing');
    expect(world.broker.stats().roundTripP95Ms).toBe(200);
  });

  it('after three of them, rows of the account need its own signature, and no share, for 10 minutes (Q8)', async () => {
    const world = createWorld();
    let behaviour: Behaviour = 'withholds';
    const mallory = await connectPenalized(world, () => behaviour);
    behaviour = 'honest';
    mallory.rows([row(1, 5, 1, 4)]);
    await world.run(100);
    expect(reasonsOf(mallory)).toEqual(['straggler-needed']);
    mallory.rows([row(1, 5, 1, 5)], { signed: true });
    await world.run(100);
    expect(world.offered).toHaveLength(1);
    expect(world.offered[0]?.batch).toMatchObject({ aggregate: undefined, stragglers: [{ position: 0 }] });
    expect(await world.areValid()).toEqual([true]);
    await world.run(600_000);
    mallory.rows([row(1, 5, 1, 6)]);
    await world.run(800);
    expect(world.offered[1]?.batch.stragglers).toEqual([]);
  });

  it('that are missing while another row of theirs comes in are no false signature of it (Q8)', async () => {
    const read = Promise.withResolvers<void>();
    let isSlow = false;
    const world = createWorld({
      async reading() {
        if (isSlow) await read.promise;
      },
    });
    const mallory = world.connect([1, 2], { behaviour: () => 'withholds' });
    await world.run(100);
    for (let i = 1; i <= 3; i++) {
      mallory.rows([row(1, 5, 1, i)]);
      await world.run(i < 3 ? 1_500 : 400);
    }
    isSlow = true;
    // The state of the other account is read.
    mallory.rows([row(1, 5, 1, 4), row(2, 5, 1)]);
    await world.run(1_500);
    read.resolve();
    await world.run(50);
    expect(reasonsOf(mallory)).toEqual(['straggler-needed']);
  });

  it('of a sum that holds are not looked at one by one: errors may cancel, and only the aggregate counts', async () => {
    const world = createWorld();
    const gateway = world.connect([1, 2]);
    await world.run(100);
    gateway.rows([row(1, 5, 1), row(2, 5, 1)]);
    await world.run(500);
    expect(await world.areValid()).toEqual([true]);
  });
});

describe('false straggler signatures', () => {
  it('cost the account its row, and 10 minutes (Q7)', async () => {
    const world = createWorld();
    const [alice, mallory] = [world.connect([0]), world.connect([1], { behaviour: () => 'withholds' })];
    await world.run(100);
    alice.rows([row(0, 5, 1)], { signed: true });
    mallory.rows([row(1, 5, 1)], { signed: true, isForged: true });
    await world.run(1_500);
    expect(mallory.all('dropped')[0]?.rows[0]?.reason).toBe('false-straggler');
    expect(world.rowsOf(0).map(({ sender }) => sender)).toEqual([0]);
    expect(await world.areValid()).toEqual([true]);
    mallory.rows([row(1, 5, 1, 2)], { signed: true });
    await world.run(100);
    expect(reasonsOf(mallory)).toEqual(['suspended']);
  });

  it('do not reach a batch that needs no share of them (Q8)', async () => {
    const world = createWorld();
    const mallory = await connectPenalized(world);
    mallory.rows([row(1, 5, 1, 4)], { signed: true, isForged: true });
    await world.run(500);
    expect(reasonsOf(mallory)).toEqual(['false-straggler']);
    expect(world.offered).toEqual([]);
    mallory.rows([row(1, 5, 1, 5)], { signed: true });
    await world.run(100);
    expect(reasonsOf(mallory)).toEqual(['false-straggler', 'suspended']);
  });

  it('outside what a block runs are refused: a broker cannot make a straggler above the fee that a client signed', async () => {
    const world = createWorld();
    const alice = world.connect([0], { behaviour: () => 'withholds' });
    await world.run(100);
    const nowMs = 1_704_067_200_000 + 110;
    alice.rows([row(0, 5, 1, 1)], { signed: true, terms: { feeCap: 99n } });
    alice.rows([row(0, 5, 1, 2)], { signed: true, terms: { expiryMs: nowMs + 20_000 } });
    alice.rows([row(0, 5, 1, 3)], { signed: true, terms: { expiryMs: nowMs + 80_000 } });
    await world.run(100);
    expect(reasonsOf(alice)).toEqual(['fee-cap-too-low', 'expiry-too-early', 'expiry-too-far']);
  });

  it('do not delay rows without one, nor the other way round (Q4)', async () => {
    const world = createWorld();
    const [alice, mallory] = [world.connect([0]), world.connect([1], { behaviour: () => 'withholds' })];
    await world.run(100);
    alice.rows([row(0, 5, 1)], { signed: true });
    mallory.rows([row(1, 5, 1)]);
    await world.run(120);
    expect(world.rowsOf(0).map(({ sender }) => sender)).toEqual([0]);
  });
});

describe('rows that cannot run', () => {
  it('are refused, each with its reason (Q3)', async () => {
    const world = createWorld();
    world.changeState(2, { isRetired: true });
    world.changeState(1, { last: 100 });
    const gateway = world.connect([0, 1, 3]);
    await world.run(100);
    gateway.rows([row(0, 5, 999_991), row(1, 5, 1, 100), row(1, 12, 1, 101), row(1, 5, 1, 2 ** 21), row(4, 5, 1)]);
    // A straggler pays more.
    gateway.rows([row(0, 5, 999_950)], { signed: true });
    world.changeState(3, { isRetired: true });
    gateway.rows([row(3, 5, 1, 7)]);
    gateway.rows([row(3, 5, 1)], { feeCap: 12n });
    gateway.rows([row(3, 5, 1)], { expiryMs: 1_704_067_200_000 + 20_000 });
    await world.run(300);
    expect(reasonsOf(gateway).toSorted()).toEqual(
      [
        'insufficient-balance',
        'insufficient-balance',
        'index-retired',
        'sequence-used',
        'sequence-too-far',
        'recipient-unknown',
        'not-of-session',
        'fee-cap-too-low',
        'expiry-too-early',
      ].toSorted(),
    );
    expect(world.offered).toEqual([]);
  });

  it('are those that the balance does not cover with all in flight, fees included (Q3)', async () => {
    const world = createWorld();
    const alice = world.connect([0]);
    await world.run(100);
    alice.rows([row(0, 5, 499_990, 1), row(0, 5, 499_990, 2), row(0, 5, 1, 3)]);
    await world.run(400);
    expect(alice.all('refused')).toMatchObject([{ rows: [{ position: 2, reason: 'insufficient-balance' }] }]);
    expect(world.rowsOf(0)).toHaveLength(2);
    // What failed in its block is not reserved any more.
    world.commit([0], { outcome: FAILURE_CODES['insufficient-balance'] });
    alice.rows([row(0, 5, 1, 3)]);
    await world.run(400);
    expect(world.offered).toHaveLength(2);
  });

  it('are those that ran just before: a state is read again after an outcome (Q3)', async () => {
    const { world, alice } = await createWorldWithRow();
    world.changeState(0, { last: 1 });
    world.commit([0]);
    alice.rows([row(0, 5, 1)]);
    await world.run(100);
    expect(reasonsOf(alice)).toEqual(['sequence-used']);
  });

  it('are two of one sequence: a client that equivocates has one of them in a batch (Q3)', async () => {
    const world = createWorld();
    const mallory = world.connect([1]);
    await world.run(100);
    mallory.rows([row(1, 5, 1)]);
    mallory.rows([row(1, 6, 2)], { number: 2 });
    await world.run(400);
    expect(mallory.all('refused')).toMatchObject([{ number: 2, rows: [{ reason: 'sequence-in-flight' }] }]);
    expect(world.rowsOf(0)).toMatchObject([{ recipient: 5 }]);
  });

  it('are more than 64 of an account, and more than a stream or all may have (Q10)', async () => {
    const world = createWorld({}, { sessionRowsMax: 66, rowsMax: 68 });
    const [alice, bob] = [world.connect([0, 2]), world.connect([1])];
    await world.run(100);
    alice.rows(Array.from({ length: 65 }, (_, i) => row(0, 5, 1, 1 + i)));
    alice.rows([row(2, 5, 1, 1), row(2, 5, 1, 2), row(2, 5, 1, 3)]);
    bob.rows([row(1, 5, 1, 1), row(1, 5, 1, 2), row(1, 5, 1, 3)]);
    await world.run(50);
    expect(reasonsOf(alice)).toEqual(['account-limit', 'session-limit']);
    expect(reasonsOf(bob)).toEqual(['broker-limit']);
  });

  it('of busy streams share what all may have in flight, and their terms say so (Q3)', async () => {
    const world = createWorld({}, { sessionRowsMax: 32, rowsMax: 40, busyRows: 4 });
    const [alice, bob, idle] = [world.connect([0]), world.connect([1]), world.connect([2])];
    await world.run(100);
    expect([alice, bob, idle].map((each) => each.all('welcome')[0]?.terms.rowsMax)).toEqual([32, 32, 32]);
    alice.rows(Array.from({ length: 4 }, (_, i) => row(0, 5, 1, 1 + i)));
    bob.rows(Array.from({ length: 4 }, (_, i) => row(1, 5, 1, 1 + i)));
    await world.run(50);
    world.commit([]);
    await world.run(50);
    expect(idle.all('terms').at(-1)?.rowsMax).toBe(16);
  });

  it('are refused for now when states cannot be read', async () => {
    let isDown = false;
    const world = createWorld({
      async reading() {
        if (isDown) throw new Error('the queue is full');
      },
    });
    const alice = world.connect([0]);
    await world.run(100);
    isDown = true;
    await world.run(2_000);
    alice.rows([row(0, 5, 1)]);
    await world.run(100);
    expect(alice.all('refused')).toMatchObject([{ retryAfterMs: 500, rows: [{ reason: 'not-ready' }] }]);
    expect(world.broker.stats().rows).toBe(0);
  });
});
