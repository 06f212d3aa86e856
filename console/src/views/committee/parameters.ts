/** Fees and times of a record by name, with units. */
import { type ChangeView, type EpochRecordJson, UNIT_DIMENSIONS } from '@slipstream/schema';
import { amount, count, counted } from '../../design/format.ts';

type Parameters = Pick<Extract<ChangeView, { readonly kind: 'setParameters' }>, 'fees' | 'times' | 'leaderReputation'>;

const LISTS = [
  ['initialPrices', 'initial price of', 'a unit'],
  ['minimumPrices', 'minimum price of', 'a unit'],
  ['targets', 'target of', 'units per block'],
  ['limits', 'limit of', 'units per block'],
] as const;

export type Row = readonly [name: string, value: string];

export function parameterRows({ fees, times, leaderReputation }: Parameters): readonly Row[] {
  const lists = LISTS.flatMap(([key, name, unit]) =>
    fees[key].map((value, i): Row => [`${name} ${UNIT_DIMENSIONS[i]}`, `${amount(value)} ${unit}`]),
  );
  const durations = Object.entries(times).map(([name, ms]): Row => [wordsOf(name), `${count(ms)} ms`]);
  const reputation =
    leaderReputation === undefined ? [] : [['leader reputation', leaderReputation ? 'on' : 'off'] as const];
  return [...lists, ['fee window', `${counted(fees.windowBlocks, 'block')}`], ...durations, ...reputation];
}

/** "limit of compute 1,000 units per block → 2,000 units per block" each. */
export function parameterDifferences(now: Parameters, then: Parameters): readonly string[] {
  const before = new Map(parameterRows(now));
  return parameterRows(then).flatMap(([name, value]) =>
    before.get(name) === value ? [] : [`${name}: ${before.get(name)} → ${value}`],
  );
}

export function issuersDiffer(now: EpochRecordJson, then: EpochRecordJson): boolean {
  return now.parameters.trustedIssuers.join() !== then.parameters.trustedIssuers.join();
}

/** "leaderTimeoutMs" is "leader timeout". */
function wordsOf(name: string): string {
  return name.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
