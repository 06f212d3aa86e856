/** A short chaos run for every change: one fault of each kind that fits into a minute. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  blockOn,
  finalize,
  GENESIS,
  notarize,
  nullify,
  proposalOf,
  voteOf,
} from '../../packages/consensus/test/core-world.ts';
import { FAULT_KINDS } from '../../scripts/chaos/faults.ts';
import { runChaos } from '../../scripts/chaos/run.ts';
import { episodesOf } from '../../scripts/chaos/schedule.ts';
import { createStatementRecord } from '../../scripts/chaos/signed-statements.ts';

const SHAPE = {
  validators: ['validator-0', 'validator-1', 'validator-2', 'validator-3'],
  smallDiskNode: 'validator-3',
};
const KINDS = FAULT_KINDS.map(({ kind }) => kind);

function firstEpisodes(seed: number, count: number) {
  const episodes = episodesOf(seed, KINDS, SHAPE);
  return Array.from({ length: count }, () => episodes.next().value);
}

test('a seed gives one schedule, another seed another, with every kind of fault before a repetition', () => {
  expect(firstEpisodes(7, 50)).toEqual(firstEpisodes(7, 50));
  expect(firstEpisodes(7, 50)).not.toEqual(firstEpisodes(8, 50));
  const firsts = firstEpisodes(7, KINDS.length).map((episode) => episode?.faults[0]?.kind);
  expect(firsts.toSorted()).toEqual(KINDS.toSorted());
});

test('the record finds each kind of double signing from wire and log, and nothing else', () => {
  const signed = createStatementRecord((_epoch, index) => String(index));
  const [one, other] = [blockOn(GENESIS, 1, 0), blockOn(GENESIS, 1, 0, 1)];
  signed.vote('wire', voteOf(notarize(one), 2));
  signed.vote('log', voteOf(notarize(one), 2));
  expect(signed.doubleSignings).toEqual([]);
  signed.vote('log', voteOf(notarize(other), 2));
  signed.vote('log', voteOf(nullify(1), 1));
  signed.vote('wire', voteOf(finalize(one), 1));
  signed.proposal('wire', proposalOf('normal', one));
  signed.proposal('log', proposalOf('normal', other));
  const rules = signed.doubleSignings.map(({ rule, signer }) => `${signer} ${rule.split(':')[0]}`);
  expect(rules).toEqual(['2 I1', '1 I2', '0 rule 4', '0 rule 4']);
});

test('a vote from the wire that its signer’s log lacks is reported, unless the log was cut above it', () => {
  const signed = createStatementRecord((_epoch, index) => String(index));
  for (const [view, signer] of [
    [9, 3],
    [40, 3],
    [41, 3],
    [40, 2],
  ] as const) {
    signed.vote('wire', voteOf(nullify(view), signer));
  }
  const reading = signed.beginReading();
  signed.vote('wire', voteOf(nullify(42), 3));
  signed.vote('log', voteOf(nullify(41), 3));
  signed.wasRead('3', reading, { view: 20, chunk: undefined });
  expect(signed.unlogged()).toEqual(['3/end 40 in epoch 0']);
  expect(signed.unread).toBe(3);
  signed.wasRead('3', signed.beginReading(), { view: undefined, chunk: undefined });
  expect(signed.unlogged()).toEqual(['3/end 40 in epoch 0']);
});

test('a minute of faults on four validators under load violates nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-chaos-'));
  const lines: string[] = [];
  const report = await runChaos({
    folder,
    seed: 1,
    minutes: 1,
    validators: 4,
    fullNodes: 1,
    transactionsPerSecond: 20,
    kinds: KINDS,
    repeat: 'npm run chaos -- --smoke --seed 1 --load 20',
    signal: new AbortController().signal,
    say: (line) => void lines.push(line),
  });
  await rm(folder, { recursive: true, force: true });
  expect(report.violations, lines.join('\n')).toEqual([]);
  expect(report.doubleSignings).toEqual([]);
  expect(report.transactions.lost).toBe(0);
  expect(report.finalLost).toBe(0);
  expect(report.transactions.final).toBeGreaterThan(0);
  expect(report.signedStatements).toBeGreaterThan(100);
  expect(report.episodes.length).toBeGreaterThan(0);
});
