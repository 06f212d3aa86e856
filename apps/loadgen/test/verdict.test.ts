import { expect, test } from 'vitest';
import type { RunResult } from '../src/run/steady-run.ts';
import { judgeOverload } from '../src/search/overload.ts';
import { faultOf } from '../src/search/verdict.ts';

const COUNTS: RunResult['counts'] = {
  sent: 1_000,
  accepted: 1_000,
  attested: 1_000,
  final: 1_000,
  failed: 0,
  expired: 0,
  lost: 0,
  refused: 0,
  unanswered: 0,
  pending: 0,
};

function run(changes: Partial<RunResult> = {}, counts: Partial<RunResult['counts']> = {}, p99 = 800): RunResult {
  const final = { count: 1_000, p50: 300, p95: 600, p99, max: 2 * p99 };
  return {
    transactionsPerSecond: 1_000,
    seconds: 1,
    counts: { ...COUNTS, ...counts },
    lost: [],
    refusals: {},
    refusedForNow: 0,
    latencies: { accepted: null, attested: null, final },
    finalPerSecond: 990,
    senderLateMs: 3,
    drainSeconds: 1,
    audit: null,
    activeAccounts: null,
    samples: [],
    blocks: 1,
    ...changes,
  };
}

const bound = { finalityP99Ms: 2_000 };

test('a run holds its rate when all its transactions are final in time', () => {
  expect(faultOf(run(), bound)).toBeUndefined();
});

test.each([
  ['refused for good', run({}, { refused: 1 })],
  ['refused for now', run({ refusedForNow: 1 }, { refused: 1 })],
  ['unanswered', run({}, { unanswered: 1 })],
  ['failed', run({}, { failed: 1 })],
  ['expired', run({}, { expired: 1 })],
  ['lost', run({}, { lost: 1 })],
  ['without an end', run({}, { pending: 1 })],
  ['p99 of finality', run({}, {}, 2_001)],
  ['nothing final', run({ latencies: { accepted: null, attested: null, final: null } })],
  ['sender itself', run({ senderLateMs: 5_000 })],
])('a single fault is enough not to hold: %s', (words, result) => {
  expect(faultOf(result, bound)).toContain(words);
});

test('transactions may be refused for now up to the bound, and none for good', () => {
  const lenient = { ...bound, refusedShareMax: 0.01 };
  const refused = (forNow: number, forGood: number) => run({ refusedForNow: forNow }, { refused: forNow + forGood });
  expect(faultOf(refused(10, 0), lenient)).toBeUndefined();
  expect(faultOf(refused(11, 0), lenient)).toContain('11 refused for now');
  expect(faultOf(refused(0, 1), lenient)).toContain('1 refused for good');
});

const over = (changes: Partial<RunResult> = {}, counts: Partial<RunResult['counts']> = {}, p99 = 4_000) =>
  run({ refusedForNow: 500, ...changes }, { refused: 500, ...counts }, p99);
const broken = (after: RunResult, during: RunResult) =>
  judgeOverload(run(), during, after)
    .filter(({ holds }) => !holds)
    .map(({ property }) => property);

test('a chain that sheds load well keeps its rate, refuses for now, bounds the wait and recovers', () => {
  expect(broken(run(), over())).toEqual([]);
});

test.each([
  ['keeps its rate', run(), over({ finalPerSecond: 300 })],
  ['is refused', run(), over({ refusedForNow: 0 }, { refused: 0 })],
  ['is refused', run(), over({ refusedForNow: 499 })],
  ['bounded time', run(), over({}, {}, 20_000)],
  ['bounded time', run(), over({}, { expired: 1 })],
  ['recovers', run({}, { refused: 1 }), over()],
  ['recovers', run({}, {}, 9_000), over()],
  ['final once', run(), over({}, { lost: 1 })],
])('a chain without a property fails by its name: %s', (words, after, during) => {
  expect(broken(after, during)).toEqual([expect.stringContaining(words)]);
});
