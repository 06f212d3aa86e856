/** Certificates of committed blocks, verified in the page's worker. */
import { ClientError, createCertificateVerifier } from '@slipstream/client';
import { to0x } from '@slipstream/primitives';
import { certificateToJson, type HeightCertificates } from '@slipstream/schema';
import { blockIdOf } from '@slipstream/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { blockOf, certify, finalize, forkedChain, notarize } from '../../packages/client/test/forked-chain.ts';
import { createLiveChecker } from '../src/proof/live-checker.ts';
import { blocksToVerify } from '../src/proof/live-checks.tsx';
import type { BlockVerdict, LiveCounters } from '../src/proof/live-message.ts';
import { summaryOf } from '../src/proof/live-state.ts';
import type { ViewRow } from '../src/stream/snapshot.ts';
import { type ManualTimers, manualTimers } from './manual-timers.ts';

const chain = forkedChain([1, 1, 1, 1]);
const block = blockOf('a', 7);
const blockId = to0x(blockIdOf(block));
const { height } = block;
let good: HeightCertificates;

beforeAll(async () => {
  const [finalization, state] = await Promise.all([
    chain.sign(finalize(block), [0, 1, 2]),
    chain.sign(certify(block, 'one'), [1, 2, 3]),
  ]);
  good = { height, blockId, finalization: certificateToJson(finalization), state: certificateToJson(state) };
});

/** Requests are answered within microtasks. */
function watched(answers: (height: number) => HeightCertificates | undefined) {
  const timers = manualTimers();
  const verdicts: BlockVerdict[] = [];
  const asked: number[] = [];
  let counters: LiveCounters | undefined;
  const checker = createLiveChecker({
    timers,
    async certificates(at) {
      asked.push(at);
      const answer = answers(at);
      if (answer === undefined) throw new ClientError('certificate-unknown', 'none here');
      return answer;
    },
    async verifier() {
      const created = createCertificateVerifier(chain.genesis);
      if (!created.ok) throw new Error(created.error);
      return created.value;
    },
    onVerdict: (verdict, counted) => {
      verdicts.push(verdict);
      counters = counted;
    },
    onCounters: (counted) => {
      counters = counted;
    },
  });
  return { checker, timers, verdicts, asked, counters: () => counters };
}

async function pass(timers: ManualTimers, ms: number) {
  for (let passed = 0; passed < ms; passed += 100) {
    timers.advance(100);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
}

describe('a committed block', () => {
  test('has its finalization and its state certificate verified', async () => {
    const { checker, timers, verdicts, counters } = watched(() => good);
    checker.add([{ height, blockId }]);
    await pass(timers, 2_000);
    expect(verdicts).toMatchObject([{ height, finalization: 'verified', state: 'verified' }]);
    expect(counters()).toMatchObject({ verified: 2, refused: 0, passedOver: 0, waiting: 0 });
    expect(summaryOf(verdicts[0])).toBe('verified');
  });

  test.each<[string, () => Promise<HeightCertificates> | HeightCertificates, string]>([
    [
      'of another block',
      () => ({ ...good, state: good.state && { ...good.state, blockId: to0x(new Uint8Array(32)) } }),
      'another block',
    ],
    [
      'of another kind',
      async () => ({ ...good, finalization: certificateToJson(await chain.sign(notarize(block), [0, 1, 2])) }),
      'of kind notarize',
    ],
    [
      'whose signers did not sign',
      () => ({ ...good, state: good.state && { ...good.state, signers: [0, 1, 2] } }),
      'not a signature',
    ],
    [
      'of less than a quorum',
      () => ({ ...good, state: good.state && { ...good.state, signers: [1, 2] } }),
      'not a quorum',
    ],
  ])('whose node shows a certificate %s is refused', async (_, made, fault) => {
    const answer = await made();
    const { checker, timers, verdicts, counters } = watched(() => answer);
    checker.add([{ height, blockId }]);
    await pass(timers, 2_000);
    expect(counters()).toMatchObject({ refused: 1 });
    const summary = summaryOf(verdicts[0]);
    expect(typeof summary === 'object' ? summary.fault : summary).toContain(fault);
  });

  test('whose state certificate is late is asked for again, and then taken without one', async () => {
    const { checker, timers, verdicts, asked } = watched(() => ({ ...good, state: null }));
    checker.add([{ height, blockId }]);
    await pass(timers, 5_000);
    expect(asked).toEqual([height, height, height]);
    expect(verdicts).toMatchObject([{ finalization: 'verified', state: 'missing' }]);
  });

  test('whose certificates the node does not have is passed over', async () => {
    const { checker, timers, verdicts, counters } = watched(() => undefined);
    checker.add([{ height, blockId }]);
    await pass(timers, 5_000);
    expect(verdicts).toEqual([]);
    expect(counters()).toMatchObject({ verified: 0, passedOver: 1 });
  });
});

test('of more blocks than the queue holds the oldest are passed over', async () => {
  const { checker, timers, asked, counters } = watched(() => undefined);
  checker.add(Array.from({ length: 100 }, (_, at) => ({ height: at, blockId })));
  await pass(timers, 30_000);
  expect(Math.min(...asked)).toBe(68);
  expect(counters()?.passedOver).toBe(100);
});

test('nothing is verified after the end', async () => {
  const { checker, timers, asked } = watched(() => good);
  checker.add([{ height, blockId }]);
  checker.stop();
  await pass(timers, 2_000);
  expect(asked).toEqual([]);
});

test('of the blocks from before the page was open the newest eight are verified, then each one once', () => {
  const row = (at: number, certifiedMs?: number) =>
    ({ height: at, blockId, times: { committedMs: 1, certifiedMs } }) as unknown as ViewRow;
  const rows = Array.from({ length: 20 }, (_, at) => row(at + 1, at < 18 ? 1 : undefined));
  const first = blocksToVerify(rows, new Set());
  expect(first.blocks.map(({ height: at }) => at)).toEqual([11, 12, 13, 14, 15, 16, 17, 18]);
  const later = blocksToVerify([...rows.slice(0, 18), row(20, 1)], first.heights);
  expect(later.blocks.map(({ height: at }) => at)).toEqual([20]);
  const last = blocksToVerify([...rows.slice(0, 18), row(19, 1), row(20, 1)], later.heights);
  expect(last.blocks.map(({ height: at }) => at)).toEqual([19]);
});
