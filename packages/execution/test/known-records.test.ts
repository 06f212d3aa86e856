/** Records in the state: the sealed one, and those that are whole. */
import { NO_RECORD, recordHashOf } from '@slipstream/types';
import { expect, it } from 'vitest';
import { readRecord, readRecords, readSeal } from '../src/index.ts';
import { GENESIS_HASH } from './builders.ts';
import { type EpochChain, epochChain, epochGenesis, weightOf } from './epoch-world.ts';

const FOUR = { a: 1, b: 1, c: 1, d: 1 };
const entriesOf = ({ read }: EpochChain): Parameters<typeof readRecords>[0] => ({ get: ({ bytes }) => read(bytes) });

it('gives the record to the sealing block alone, and the seal to the state until its epoch begins', () => {
  const chain = epochChain(epochGenesis(FOUR));
  const entries = entriesOf(chain);
  chain.decide([weightOf('a', 2)]);
  let height = 2;
  expect(readSeal(entries)).toBeUndefined();
  for (; readSeal(entries) === undefined; height++) {
    const { next, sealed } = chain.execute([]);
    expect(sealed === undefined).toBe(next === NO_RECORD);
  }
  const record = readRecord(entries, 1);
  expect(readSeal(entries)).toEqual({ recordHash: recordHashOf(GENESIS_HASH, record), height, record });
  const after = chain.execute([]);
  expect(after.sealed).toBeUndefined();
  expect(after.next).toEqual(recordHashOf(GENESIS_HASH, record));
  expect(readSeal(entries)?.height).toBe(height);
  chain.move();
  expect(readSeal(entries)).toBeUndefined();
});

it('lists the records from the oldest whole one to the newest, which may be sealed only', () => {
  const chain = epochChain(epochGenesis(FOUR));
  const entries = entriesOf(chain);
  const epochs = () => readRecords(entries).map(({ epoch }) => epoch);
  expect(epochs()).toEqual([0]);
  for (let epoch = 1; epoch <= 3; epoch++) {
    chain.decide([weightOf('a', 1 + (epoch % 2))]);
    const { sealed } = chain.untilSealed();
    expect(readRecords(entries).at(-1)).toEqual(sealed);
    chain.nowMs += 30_000;
    chain.move();
  }
  expect(epochs()).toEqual([1, 2, 3]);
});
