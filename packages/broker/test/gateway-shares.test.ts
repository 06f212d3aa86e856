/** What the share of a gateway stands for. */
import { describe, expect, it } from 'vitest';
import { type Behaviour, connectPenalized, createWorld, row } from './world.ts';

describe('the share of a stream with many accounts', () => {
  it('stands also for those that need none, so one penalized account makes it false for no other (Q6, Q8)', async () => {
    const world = createWorld();
    await connectPenalized(world);
    const gateway = world.connect([1, 2]);
    await world.run(100);
    for (let i = 4; i <= 7; i++) {
      gateway.rows([row(1, 5, 1, i), row(2, 5, 1, i)], { signed: true });
      await world.run(800);
    }
    expect(world.offered.map(({ batch }) => batch.stragglers)).toEqual([[], [], [], []]);
    expect(await world.areValid()).toEqual([true, true, true, true]);
    world.commit([0]);
    await world.run(50);
    expect(gateway.all('outcomes')[0]?.stragglers).toEqual(new Uint32Array());
  });
});

describe('a share that is not asked for, since the account has three faults', () => {
  async function withAPromptShare(behaviour: Behaviour) {
    const world = createWorld();
    let how = behaviour;
    const penalized = await connectPenalized(world, () => how);
    how = 'honest';
    // The batch waits for this one.
    const alice = world.connect([0], { behaviour: () => 'late', lateMs: 150 });
    await world.run(100);
    alice.rows([row(0, 5, 1)], { signed: true });
    penalized.rows([row(1, 5, 1, 4)], { signed: true });
    await world.run(800);
    expect(await world.areValid()).toEqual([true]);
    return world.offered[0]?.batch.stragglers.map(({ position }) => position);
  }

  it('counts in time: a stream that was slow costs no node a signature check a row (Q8)', async () => {
    expect(await withAPromptShare('withholds')).toEqual([]);
  });

  it('does not where one of them was false (Q8)', async () => {
    expect(await withAPromptShare('false')).toEqual([1]);
  });
});
