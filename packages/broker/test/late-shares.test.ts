/** Shares of a slow machine or network, in batches whose rows would cost each node a check as stragglers. */
import { describe, expect, it } from 'vitest';
import { createLateShares } from '../src/late-shares.ts';
import { FAULTS_MAX, LATE_BATCHES_MAX, LATE_ROWS_MIN, LATE_WAITS } from '../src/limits.ts';
import { type ClientOptions, createWorld, row } from './world.ts';

const GATEWAY = [0, 1, 2, 3];

/** One batch of a gateway's rows and one row of another client. */
async function oneBatch(rows: number, options: ClientOptions) {
  const world = createWorld();
  const [gateway, other] = [world.connect(GATEWAY, options), world.connect([4])];
  await world.run(100);
  const each = rows / GATEWAY.length;
  const all = GATEWAY.flatMap((index) => Array.from({ length: each }, (_, i) => row(index, 5, 1, i + 1)));
  gateway.rows(all, { signed: true });
  other.rows([row(4, 5, 1)], { signed: true });
  return world;
}

const stragglersOf = (world: Awaited<ReturnType<typeof oneBatch>>) =>
  world.offered.map(({ batch }) => batch.stragglers.length);

describe('shares that are late', () => {
  it('of most rows of a large batch are waited for, so that no row is a straggler (Q6)', async () => {
    const world = await oneBatch(LATE_ROWS_MIN, { behaviour: () => 'late', lateMs: 1_500 });
    await world.run(2_500);
    expect(stragglersOf(world)).toEqual([0]);
    expect(await world.areValid()).toEqual([true]);
  });

  it('of few rows are not: they delay no other client (Q6)', async () => {
    const world = await oneBatch(LATE_ROWS_MIN - GATEWAY.length, { behaviour: () => 'late', lateMs: 1_500 });
    await world.run(1_000);
    expect(stragglersOf(world)).toEqual([LATE_ROWS_MIN - GATEWAY.length]);
  });

  it('are waited for two seconds at most (Q6)', async () => {
    const world = await oneBatch(LATE_ROWS_MIN, { behaviour: () => 'withholds' });
    await world.run(1_500);
    expect(stragglersOf(world)).toEqual([]);
    await world.run(1_000);
    expect(stragglersOf(world)).toEqual([LATE_ROWS_MIN]);
  });
});

it('of most streams are no fault of theirs, however few rows they have (Q8)', async () => {
  const world = createWorld();
  const slow = [0, 1, 2, 3].map((index) => world.connect([index], { behaviour: () => 'late', lateMs: 1_500 }));
  const prompt = world.connect([4]);
  await world.run(100);
  for (let i = 1; i <= FAULTS_MAX + 1; i++) {
    for (const [index, client] of slow.entries()) client.rows([row(index, 5, 1, i)], { signed: i <= FAULTS_MAX });
    prompt.rows([row(4, 5, 1, i)], { signed: true });
    await world.run(2_000);
  }
  expect(slow.flatMap((client) => client.all('refused'))).toEqual([]);
});

describe('what late shares cost', () => {
  const session = {} as never;

  function lateBatches() {
    const faults: number[] = [];
    const late = createLateShares({
      clock: { monotonicMs: () => 0 },
      penalties: { shareFault: (index: number) => void faults.push(index) },
    });
    const batch = (name: string, isLate: boolean) => {
      const positions = new Map([[session, Array.from({ length: LATE_ROWS_MIN }, (_, i) => i)]]);
      const asked = new Map([[session, Uint32Array.of(7)]]);
      const open = { name, positions, asked, entries: Array.from({ length: LATE_ROWS_MIN }) };
      return { open, waiting: new Set([session]), isLate } as never as Parameters<typeof late.add>[0];
    };
    const fill = () => {
      for (let i = 0; i < LATE_BATCHES_MAX; i++) late.add(batch(`later ${i}`, false));
    };
    return { late, batch, faults, fill };
  }

  it('is a fault of a stream that never answers, once later batches took its place (Q8)', () => {
    const { late, batch, faults, fill } = lateBatches();
    late.add(batch('first', true));
    expect(faults).toEqual([]);
    fill();
    expect(faults).toEqual([7]);
  });

  it('is a fault of a stream that leaves (Q8)', () => {
    const { late, batch, faults } = lateBatches();
    late.add(batch('first', true));
    late.left(session);
    expect(faults).toEqual([7]);
  });

  it('is none of a stream that answers late (Q8)', () => {
    const { late, batch, faults, fill } = lateBatches();
    late.add(batch('first', true));
    late.find('first')?.waiting.delete(session);
    fill();
    expect(faults).toEqual([]);
  });

  it('is no second fault where the first was counted at once (Q8)', () => {
    const { late, batch, faults, fill } = lateBatches();
    late.add(batch('first', false));
    fill();
    expect(faults).toEqual([]);
  });

  it('is a bounded number of longer waits (Q6)', () => {
    const { late, batch } = lateBatches();
    const answers = Array.from({ length: LATE_WAITS.burst + 5 }, (_, i) => late.mayWait(batch(`${i}`, false)));
    expect(answers.filter(Boolean)).toHaveLength(LATE_WAITS.burst);
  });
});
