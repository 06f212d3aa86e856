import { certificateToJson } from '@slipstream/schema';
import { type Certificate, certificateCodec, type Subject } from '@slipstream/types';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blame } from '../src/index.ts';
import { blockOf, certify, finalize, forkedChain, notarize, nullify } from './forked-chain.ts';

/** Each check of a certificate takes tens of milliseconds. */
const RUNS = 16;

const [a, b] = [blockOf('a', 7), blockOf('the other', 7)];
/** What an honest validator signs in a view: one of each column at most (I1, I2, rule 6, I5). */
const CHOICES: readonly (readonly Subject[])[] = [
  [notarize(a), notarize(b)],
  [finalize(a), finalize(b), nullify(7)],
  [certify(a, 'one'), certify(a, 'other'), certify(b, 'one'), certify(b, 'other')],
];
const ALL = CHOICES.flat();

const member = fc.record({
  weight: fc.integer({ min: 1, max: 9 }),
  corrupt: fc.boolean(),
  choices: fc.tuple(...CHOICES.map((column) => fc.integer({ min: 0, max: column.length }))),
});

it('whatever corrupt members sign, no honest validator is named, and those named weigh more than a third', async () => {
  let blamed = 0;
  const votersOf = (members: readonly { corrupt: boolean; choices: readonly number[] }[], subject: Subject) =>
    members.flatMap(({ corrupt, choices }, index) =>
      corrupt || choices.some((choice, column) => CHOICES[column]?.[choice] === subject) ? [index] : [],
    );
  await fc.assert(
    fc.asyncProperty(fc.array(member, { minLength: 1, maxLength: 7 }), async (members) => {
      const weights = members.map(({ weight }) => weight);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const weigh = (indices: readonly number[]) => indices.reduce((sum, index) => sum + (weights[index] as number), 0);
      const chain = forkedChain(weights);
      const certificates: Certificate[] = [];
      for (const subject of ALL) {
        const voters = votersOf(members, subject);
        if (3 * weigh(voters) > 2 * total) certificates.push(await chain.sign(subject, voters));
      }
      const verdict = blame(
        certificates.map(certificateToJson),
        certificates.map(certificateCodec.encode),
        chain.genesis,
      );
      const corruptWeight = weigh(members.flatMap(({ corrupt }, index) => (corrupt ? [index] : [])));
      if (3 * corruptWeight <= total) expect(verdict.ok).toBe(false);
      if (!verdict.ok) return;
      blamed += 1;
      for (const { index } of verdict.value.culprits) expect(members[index]?.corrupt).toBe(true);
      for (const pair of verdict.value.pairs) expect(3 * weigh(pair.culprits)).toBeGreaterThan(total);
      expect(verdict.value.weight).toBe(weigh(verdict.value.culprits.map(({ index }) => index)));
    }),
    { numRuns: RUNS, examples: [[[{ weight: 1, corrupt: true, choices: [0, 0, 0] }]]] },
  );
  expect(blamed).toBeGreaterThan(0);
}, 120_000);
