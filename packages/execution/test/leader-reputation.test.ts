/** Leader reputation (epochs.md, "Leader reputation"): which turns count as lost, who is benched, and how a member comes back. */
import { type Change, createLeaderSchedule, epoch as epochOf, type Genesis, type View } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterLostTurn, afterSeal, awaitsReadiness, FRESH_REPUTATION } from '../src/epochs/reputation.ts';
import { FREE_FEES, readRecord, readValidator } from '../src/index.ts';
import { GENESIS_HASH } from './builders.ts';
import {
  addition,
  type EpochChain,
  epochChain,
  epochGenesis,
  idOf,
  operatorOf,
  ready,
  removal,
  weightOf,
} from './epoch-world.ts';

const FOUR = { a: 1, b: 1, c: 1, d: 1 };
const TIMES = { delayMs: 10, graceMs: 20, leaderTimeoutMs: 100, viewTimeoutMs: 200, minBlockIntervalMs: 50 };

const withReputation = (weights: Readonly<Record<string, number>>): Genesis => ({
  ...epochGenesis(weights),
  leaderReputation: true,
});
const turn = (leaderReputation: boolean): Change => ({
  kind: 'setParameters',
  fees: FREE_FEES,
  times: TIMES,
  leaderReputation,
});

interface World {
  readonly chain: EpochChain;
  /** So many blocks; the members of `dead` lose their turns. */
  run(blocks: number, dead?: readonly string[]): void;
  /** Until a record is sealed: its epoch begins. */
  move(dead?: readonly string[]): readonly string[];
  benched(epoch?: number): readonly string[];
  reputation(name: string): NonNullable<ReturnType<typeof readValidator>>['reputation'];
}

/** A chain whose blocks are of the leaders of its record. */
function world(start: Genesis): World {
  const chain = epochChain(start);
  const names = new Map([...'abcdefghijklmnop'].map((name) => [String(idOf(name)), name]));
  const entries = { get: ({ bytes }: { readonly bytes: Uint8Array }) => chain.read(bytes) };
  const nameOf = (id: Uint8Array) => names.get(String(id)) as string;
  let sealed = false;
  const step = (dead: readonly string[]) => {
    const { members } = readRecord(entries, chain.epoch);
    const leaderOf = createLeaderSchedule({ epoch: epochOf(chain.epoch), members }, GENESIS_HASH);
    const leads = (lost: number) => leaderOf((chain.view + 1 + lost) as View);
    let lost = 0;
    while (dead.includes(nameOf((members[leads(lost)] as (typeof members)[number]).validatorId))) lost += 1;
    chain.turn.lostViews = lost;
    chain.turn.proposer = leads(lost);
  };
  const self: World = {
    chain,
    run(blocks, dead = []) {
      for (let i = 0; i < blocks; i++) {
        step(dead);
        sealed = chain.execute([]).next.some((byte) => byte !== 0);
      }
    },
    move(dead = []) {
      for (let i = 0; i < 200 && !sealed; i++) self.run(1, dead);
      expect(sealed).toBe(true);
      sealed = false;
      chain.turn.proposer = 0;
      chain.move();
      return self.benched();
    },
    benched(epoch = chain.epoch) {
      const { members } = readRecord(entries, epoch);
      return members.filter(({ leads }) => !leads).map(({ validatorId }) => nameOf(validatorId));
    },
    reputation: (name) =>
      (readValidator(entries, idOf(name)) as NonNullable<ReturnType<typeof readValidator>>).reputation,
  };
  return self;
}

describe('a member that loses its turns', () => {
  it('is benched after three in a row, at the first seal, and leads nothing in the next epoch', () => {
    const { chain, run, move, reputation } = world(withReputation(FOUR));
    run(63, ['d']);
    expect(reputation('d')).toMatchObject({ lostTurns: 3, due: true, queued: true });
    expect(move(['d'])).toEqual(['d']);
    expect(chain.weights()).toEqual(FOUR);
    const before = chain.view;
    run(20, ['d']);
    expect(chain.view).toBe(before + 20);
  });

  it('stays after two, and when it made a block before the seal', () => {
    const { run, reputation, benched } = world(withReputation(FOUR));
    run(6, ['d']);
    expect(reputation('d')).toMatchObject({ lostTurns: 2, due: false });
    run(8);
    expect(reputation('d')).toMatchObject({ lostTurns: 0 });
    run(12, ['d']);
    expect(reputation('d')).toMatchObject({ due: true, queued: true });
    run(70);
    expect(reputation('d')).toMatchObject({ due: false, queued: false });
    expect(benched(0)).toEqual([]);
  });

  it('changes nothing while the parameter is off', () => {
    const { chain, run, reputation } = world(epochGenesis(FOUR));
    run(100, ['d']);
    expect(reputation('d')).toMatchObject({ lostTurns: 0, due: false });
    expect(chain.execute([]).next.some((byte) => byte !== 0)).toBe(false);
  });

  it('has a new row when the parameter is turned on again, whatever it lost before its epoch ended', () => {
    const { chain, run, move, reputation } = world(withReputation(FOUR));
    chain.decide([turn(false)]);
    run(64);
    run(14, ['d']);
    expect(reputation('d')).toMatchObject({ due: true, queued: true });
    move();
    run(70);
    chain.decide([turn(true)]);
    expect(move()).toEqual([]);
    expect(reputation('d')).toEqual(FRESH_REPUTATION);
    run(64);
    run(14, ['d']);
    expect(move(['d'])).toEqual(['d']);
  });

  it('has a new row, too, when the same pass turns the parameter on that finds it in the queue', () => {
    const { chain, run, move, reputation } = world(withReputation(FOUR));
    chain.decide([turn(false)]);
    run(64);
    run(14, ['d']);
    move();
    chain.decide([turn(true)]);
    expect(move()).toEqual([]);
    expect(reputation('d')).toEqual(FRESH_REPUTATION);
  });

  it('is one turn a block, however many views the block passes over', () => {
    const { chain, run, reputation } = world(withReputation(FOUR));
    run(64);
    chain.turn.lostViews = 100_000;
    chain.turn.proposer = 0;
    chain.execute([]);
    expect(['a', 'b', 'c', 'd'].map((name) => reputation(name).lostTurns)).toEqual([0, 1, 1, 1]);
  });

  it('is counted by the schedule of the block’s own epoch, whose views follow the boundary’s', () => {
    const { chain, move, reputation } = world(withReputation(FOUR));
    chain.decide([weightOf('a', 2)]);
    move();
    const entries = { get: ({ bytes }: { readonly bytes: Uint8Array }) => chain.read(bytes) };
    const leaderOf = createLeaderSchedule({ epoch: epochOf(1), members: readRecord(entries, 1).members }, GENESIS_HASH);
    const lost = leaderOf((chain.view + 1) as View);
    chain.turn.lostViews = 1;
    chain.turn.proposer = leaderOf((chain.view + 2) as View);
    chain.execute([]);
    const counts = ['a', 'b', 'c', 'd'].map((name) => reputation(name).lostTurns);
    expect(counts).toEqual([0, 1, 2, 3].map((index) => (index === lost ? 1 : 0)));
  });
});

describe('a benched member', () => {
  function benchedWorld(): World {
    const of = world(withReputation(FOUR));
    expect(of.move(['d'])).toEqual(['d']);
    return of;
  }
  const report = ({ chain }: World, name: string) => {
    expect(chain.act(operatorOf(name), ready(name, { epoch: chain.epoch })).code).toBeUndefined();
  };

  it('comes back by readiness after 1,024 blocks, and not by an earlier one', () => {
    const of = benchedWorld();
    of.run(900);
    report(of, 'd');
    of.run(150);
    expect(of.reputation('d')).toMatchObject({ benched: true, ready: false });
    report(of, 'd');
    expect(of.move()).toEqual([]);
    expect(of.reputation('d')).toMatchObject({ benched: false, queued: false, benchBlocks: 1024 });
    of.run(70);
    expect(of.benched()).toEqual([]);
  });

  it('is benched by one lost turn after its return, for twice as long', () => {
    const of = benchedWorld();
    of.run(1024);
    report(of, 'd');
    expect(of.move()).toEqual([]);
    of.run(64);
    of.run(4, ['d']);
    expect(of.move()).toEqual(['d']);
    expect(of.reputation('d').benchBlocks).toBe(2048);
  });

  it('waits twice as long each time, up to 16,384 blocks', () => {
    let [reputation, height] = [FRESH_REPUTATION, 0];
    const waits = Array.from({ length: 6 }, () => {
      reputation = afterSeal(afterLostTurn(reputation, height), true, height);
      height += reputation.benchBlocks;
      expect([awaitsReadiness(reputation, height - 1), awaitsReadiness(reputation, height)]).toEqual([false, true]);
      reputation = afterSeal({ ...reputation, ready: true }, false, height);
      return reputation.benchBlocks;
    });
    expect(waits).toEqual([1024, 2048, 4096, 8192, 16_384, 16_384]);
  });

  it('has a new row of three when its probation is over', () => {
    const of = benchedWorld();
    of.run(1024);
    report(of, 'd');
    expect(of.move()).toEqual([]);
    of.run(1100);
    of.run(6, ['d']);
    expect(of.reputation('d')).toMatchObject({ lostTurns: 2, due: false });
    of.run(4, ['d']);
    expect(of.move()).toEqual(['d']);
    expect(of.reputation('d').benchBlocks).toBe(1024);
  });

  it('leads again when the parameter is turned off', () => {
    const of = benchedWorld();
    of.chain.decide([turn(false)]);
    expect(of.move()).toEqual([]);
    of.run(100, ['d']);
    expect(of.reputation('d')).toMatchObject({ lostTurns: 0, benched: false, queued: false });
  });

  it('may be removed, and is never brought back by its readiness then', () => {
    const of = benchedWorld();
    of.chain.decide([addition('e', 1), removal('d')]);
    of.chain.act(operatorOf('e'), ready('e', { epoch: 1 }));
    of.move();
    expect(of.chain.weights()).toEqual({ a: 1, b: 1, c: 1, e: 1 });
    of.run(70);
    expect(of.benched()).toEqual([]);
  });
});

describe('the weight of benched members', () => {
  it('stays below a third', () => {
    const { move, run, benched, reputation } = world(withReputation({ a: 1, b: 1, c: 1, d: 1, e: 1 }));
    expect(move(['d', 'e'])).toHaveLength(1);
    run(
      100,
      ['d', 'e'].filter((name) => !benched().includes(name)),
    );
    expect(benched()).toHaveLength(1);
    expect(['d', 'e'].map((name) => reputation(name).queued)).toEqual([true, true]);
  });

  it('never benches one of three', () => {
    const { run, benched } = world(withReputation({ a: 1, b: 1, c: 1 }));
    run(200, ['c']);
    expect(benched()).toEqual([]);
  });

  it('brings a member back when the others lose weight', () => {
    const of = world(withReputation(FOUR));
    expect(of.move(['d'])).toEqual(['d']);
    of.chain.decide([removal('a')]);
    expect(of.move()).toEqual([]);
    expect(of.chain.weights()).toEqual({ b: 1, c: 1, d: 1 });
  });

  it('stays below a third after any changes and losses', () => {
    const letters = [...'abcdef'];
    const step = fc.record({
      dead: fc.subarray(letters, { maxLength: 3 }),
      change: fc.option(fc.tuple(fc.constantFrom(...letters), fc.integer({ min: 0, max: 9 }))),
    });
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 6 }),
        fc.array(step, { maxLength: 5 }),
        (weights, steps) => {
          const names = letters.slice(0, weights.length);
          const of = world(withReputation(Object.fromEntries(names.map((name, i) => [name, weights[i] as number]))));
          for (const { dead, change } of steps) {
            const [name, weight] = change ?? [];
            const isMember = name !== undefined && of.chain.weights()[name] !== undefined;
            if (isMember) of.chain.decide([weight ? weightOf(name, weight) : removal(name)]);
            const alive = Object.keys(of.chain.weights()).filter(
              (each) => !dead.includes(each) && !of.benched().includes(each),
            );
            if (alive.length === 0) continue;
            of.run(80, dead);
            const entries = { get: ({ bytes }: { readonly bytes: Uint8Array }) => of.chain.read(bytes) };
            of.chain.turn.proposer = 0;
            const hasNext = of.chain.execute([]).next.some((byte) => byte !== 0);
            if (hasNext) {
              of.chain.turn.proposer = 0;
              of.chain.move();
            }
            const { members } = readRecord(entries, of.chain.epoch);
            const sum = (some: typeof members) => some.reduce((total, member) => total + member.weight, 0);
            expect(3 * sum(members.filter(({ leads }) => !leads))).toBeLessThan(sum(members));
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
