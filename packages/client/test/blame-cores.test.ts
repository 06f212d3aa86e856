/** Forks of real consensus cores: the corrupt members run twice, once with each part of the honest ones, which never reach each other. */
import { certificateToJson } from '@slipstream/schema';
import { type Block, blockIdOf, type Certificate, hexOf } from '@slipstream/types';
import { expect, test } from 'vitest';
import { createCoreWorld } from '../../consensus/test/core-world.ts';
import { blame } from '../src/index.ts';
import { forkedChain, viewOf } from './forked-chain.ts';

const ROUNDS = 20;
const ROUND_MS = 100;

interface Fork {
  readonly weights: readonly number[];
  readonly corrupt: readonly number[];
  readonly honest: readonly [readonly number[], readonly number[]];
  readonly earlyVoteViews: 0 | 1;
  /** Without it no block is certified, and finalizations are formed (S10). */
  readonly executes: boolean;
}

interface Log {
  readonly certificates: readonly Certificate[];
  readonly blocks: readonly Block[];
  readonly finalized: readonly Block[];
}

/** What an honest member logs while it runs with these others alone. */
function logOf({ weights, earlyVoteViews, executes }: Fork, cores: readonly number[], member: number): Log {
  const world = createCoreWorld({ weights, cores, options: { earlyVoteViews }, holdExecution: () => !executes });
  for (let round = 0; round < ROUNDS; round++) {
    world.settle();
    world.pass(ROUND_MS);
  }
  const logged = world.effects(member, 'persist-block').map(({ block }) => block);
  const proposed = world.effects(member, 'propose').map(({ block }) => block);
  return {
    certificates: world.effects(member, 'persist-certificate').map(({ certificate }) => certificate),
    blocks: [...logged, ...proposed],
    finalized: world.effects(member, 'finalized').map(({ block }) => block),
  };
}

const BY_TWO = { weights: [1, 1, 1, 1], corrupt: [0, 1], honest: [[2], [3]] } as const;
const BY_WEIGHT = { weights: [5, 6, 3, 6], corrupt: [0, 2], honest: [[1], [3]] } as const;
const BY_THREE = {
  weights: [1, 1, 1, 1, 1, 1, 1],
  corrupt: [0, 3, 5],
  honest: [
    [1, 2],
    [4, 6],
  ],
} as const;

test.each<[string, Fork]>([
  ['2 of 4', { ...BY_TWO, earlyVoteViews: 0, executes: true }],
  ['2 of 4 that certify nothing', { ...BY_TWO, earlyVoteViews: 0, executes: false }],
  ['2 of 4 with early votes', { ...BY_TWO, earlyVoteViews: 1, executes: false }],
  ['weight 8 of 20', { ...BY_WEIGHT, earlyVoteViews: 0, executes: false }],
  ['3 of 7', { ...BY_THREE, earlyVoteViews: 1, executes: true }],
])('of a fork by %s the logs of both sides name the corrupt members and no other', async (_, fork) => {
  const { corrupt, honest, weights } = fork;
  const [one, other] = honest.map((part) => {
    const cores = [...corrupt, ...part].sort((a, b) => a - b);
    return logOf(fork, cores, part[0] as number);
  }) as [Log, Log];
  const at = one.finalized.findIndex((block, place) => {
    const there = other.finalized[place];
    return there !== undefined && hexOf(blockIdOf(block)) !== hexOf(blockIdOf(there));
  });
  expect(at).toBeGreaterThanOrEqual(0);

  const chain = forkedChain(weights);
  // Cores mark signatures; here the same signers sign the same statements.
  const signed = async ({ certificates, blocks }: Log, select: (certificate: Certificate) => boolean) => [
    ...(await Promise.all(
      certificates
        .filter(select)
        .map(async ({ subject, signers }) => certificateToJson(await chain.sign(subject, signers))),
    )),
    ...blocks.map(viewOf),
  ];
  const isFinal = ({ subject }: Certificate) => subject.kind === 'finalize' || subject.kind === 'certify';
  const final = blame(await signed(one, isFinal), await signed(other, isFinal), chain.genesis);
  expect(final.ok ? final.value.culprits.map(({ index }) => index) : final.error).toEqual(corrupt);

  const all = () => true;
  const verdict = blame(await signed(one, all), await signed(other, all), chain.genesis);
  expect(verdict.ok ? verdict.value.culprits.map(({ index }) => index) : verdict.error).toEqual(corrupt);
  for (const { culprits } of verdict.ok ? verdict.value.pairs : []) expect(culprits).toEqual(corrupt);
  const rules = new Set(verdict.ok ? verdict.value.pairs.map(({ rule }) => rule) : []);
  expect(rules).toEqual(new Set(fork.executes ? ['I1', 'I5'] : ['I1', 'I2', 'rule 6']));
});
