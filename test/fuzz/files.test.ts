/** A short `npm run fuzz:files`: damage is refused, reported or cut off, never served. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DiskError } from '@slipstream/ports';
import { createRandom } from '@slipstream/simulator';
import { expect, test } from 'vitest';
import { damageAt, damaged, damageText, drawDamage } from './files/damage.ts';
import { type RunCase, runCases } from './files/run.ts';
import { KINDS } from './files/stores.ts';
import { refusal } from './files/verdict.ts';

const COUNT = 400;

test('no damage of the files in a data folder is served, or lost without a report', async () => {
  const played: RunCase[] = [];
  await runCases({ seed: 'ci', first: 0, count: COUNT }, (each) => played.push(each));
  expect(played.filter(({ verdict }) => verdict.outcome === 'forbidden')).toEqual([]);
  expect(played.map(({ number }) => number)).toEqual(Array.from({ length: COUNT }, (_, number) => number));
  expect(new Set(played.map(({ kind }) => kind))).toEqual(new Set(KINDS.map(([kind]) => kind)));
});

test('a case that ends its process is reported as forbidden, and the following cases run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-flips-'));
  const program = join(folder, 'dies-in-case-2.mjs');
  await writeFile(
    program,
    `process.on('message', ({ from, to }) => {
       for (let number = from; number < to; number++) {
         process.send({ type: 'begun', number });
         if (number === 2) return setTimeout(() => process.abort(), 50);
         process.send({ type: 'played', number, played: { what: '', verdict: { outcome: 'same', words: '' } } });
       }
       setTimeout(() => process.disconnect(), 50);
     });
     process.send({ type: 'ready' });`,
  );
  const outcomes: string[] = [];
  const onCase = ({ number, verdict }: RunCase) => outcomes.push(`${number} ${verdict.outcome}`);
  await runCases({ seed: 'any', first: 0, count: 4, worker: pathToFileURL(program) }, onCase);
  expect(outcomes).toEqual(['0 same', '1 same', '2 forbidden', '3 same']);
  await rm(folder, { recursive: true });
});

test('an error without a type or a place does not count as a refusal', () => {
  const names = /[0-9]+\.log/;
  expect(refusal(new DiskError('damaged', '000003.log is damaged', {}), names).outcome).toBe('refused');
  expect(refusal(new DiskError('io', 'checksum mismatch', {}), names).outcome).toBe('forbidden');
  expect(refusal(new RangeError('000003.log'), names).outcome).toBe('forbidden');
});

test('damage changes only the reported bytes', () => {
  const random = createRandom('damage');
  const bytes = random.bytes(10_000);
  for (let i = 0; i < 1_000; i++) {
    const damage = drawDamage(random, bytes.length);
    const changed = damaged(bytes, damage);
    expect(changed.subarray(0, damageAt(damage)), damageText(damage)).toEqual(bytes.subarray(0, damageAt(damage)));
    if (damage.type === 'bit') expect(changed.filter((byte, at) => byte !== bytes[at])).toHaveLength(1);
  }
});
