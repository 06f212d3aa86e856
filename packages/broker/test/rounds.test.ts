/** How many rounds accounts that stop answering cost the others (Q7). */
import { describe, expect, it } from 'vitest';
import { type Behaviour, createWorld, row } from './world.ts';

/** Ten accounts of mallory, of which one more withholds its share in each round that it sees, and their rows beside one of alice. */
async function playStopping({ limits = {}, signed = false }: { limits?: object; signed?: boolean } = {}) {
  const world = createWorld({}, limits);
  const alice = world.connect([0]);
  const stopping = Array.from({ length: 10 }, (_, i) => {
    let rounds = 0;
    const behaviour = (): Behaviour => (rounds++ >= i ? 'withholds' : 'honest');
    return world.connect([1 + i], { behaviour });
  });
  await world.run(100);
  alice.rows([row(0, 5, 1)], { signed });
  for (const [i, client] of stopping.entries()) client.rows([row(1 + i, 0, 1)], { signed, isForged: true });
  await world.run(10_000);
  return { world, alice, stopping };
}

describe('accounts that stop answering one after another', () => {
  it('cost rows without a straggler signature few rounds: later ones are of halves', async () => {
    const { world, alice } = await playStopping();
    expect(alice.headers().length).toBeLessThanOrEqual(5);
    expect(world.offered.flatMap((_, i) => world.rowsOf(i)).map(({ sender }) => sender)).toContain(0);
    expect((await world.areValid()).every(Boolean)).toBe(true);
    expect(world.broker.stats()).toMatchObject({ gathering: 0 });
  });

  it('give the rows of the others back after a bounded number of rounds', async () => {
    const { world, alice } = await playStopping({ limits: { roundsMax: 2 } });
    expect(alice.headers()).toHaveLength(2);
    expect(alice.all('dropped').flatMap(({ rows }) => rows)).toEqual([
      { sender: 0, sequence: 1, reason: 'share-missing' },
    ]);
    expect(world.broker.stats()).toMatchObject({ rows: 0, gathering: 0 });
  });

  it('with false straggler signatures cost the others one round, and no straggler fee', async () => {
    const { world, alice, stopping } = await playStopping({ signed: true });
    expect(alice.headers()).toHaveLength(2);
    expect(world.offered.map(({ batch }) => [batch.header.rows, batch.stragglers])).toEqual([[1, []]]);
    expect(stopping.flatMap((client) => client.all('dropped')).length).toBe(10);
  });
});
