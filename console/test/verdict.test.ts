/** Is my node well, is the chain well: what the first screen answers. */
import { expect, test } from 'vitest';
import { type Evidence, judgeAll, judgeChain, judgeNode, worstFirst } from '../src/node/verdict.ts';
import type { ViewRow } from '../src/stream/snapshot.ts';
import { createViewRows } from '../src/stream/view-rows.ts';
import { AT_MS, eventMessage, statsOf, statusOf } from './live-messages.ts';

const WELL: Evidence = {
  connection: { type: 'live' },
  status: statusOf(),
  stats: statsOf(),
  committee: null,
  alerts: [],
  views: [],
  finalAgoMs: 200,
};

const alert = (rule: string, severity: 'warning' | 'critical') =>
  ({ rule, severity, message: `${rule} holds`, threshold: '', remedy: '', sinceMs: AT_MS }) as const;

function nullifiedRows(leaders: readonly number[]): readonly ViewRow[] {
  const rows = createViewRows();
  for (const [view, leader] of leaders.entries()) {
    rows.event(eventMessage(view, 'view.nullified', { view, leader, reason: 'timeout' }).event, AT_MS);
  }
  return rows.take();
}

test('a live node whose blocks become final is well, and so is the chain', () => {
  expect([judgeNode(WELL).tone, judgeChain(WELL).tone]).toEqual(['good', 'good']);
});

test('an alert about the chain counts for the chain, any other for the node, each with its message', () => {
  const chain = { ...WELL, alerts: [alert('no-finality', 'critical')] };
  expect([judgeNode(chain).tone, judgeChain(chain).tone]).toEqual(['good', 'bad']);
  const node = { ...WELL, alerts: [alert('commit-lag', 'warning')] };
  expect(judgeNode(node)).toMatchObject({ tone: 'warn', reasons: ['commit-lag holds'] });
  expect(judgeChain(node).tone).toBe('good');
});

test('the worst alert comes first, and what two rules say alike is said once', () => {
  const low = { ...alert('disk-low', 'warning'), message: 'only 9 MiB are free' };
  const alerts = [alert('behind', 'warning'), low, { ...low, rule: 'disk-full', severity: 'critical' as const }];
  expect(worstFirst(alerts).map(({ rule }) => rule)).toEqual(['disk-full', 'behind', 'disk-low']);
  expect(judgeNode({ ...WELL, alerts }).reasons).toEqual(['only 9 MiB are free', 'behind holds']);
});

test.each(['halted', 'disk-failed'])('a node that said %s stopped itself, and what to do stays in sight', (rule) => {
  const lost = { type: 'lost', reason: 'gone', lostAtMs: AT_MS, retryInMs: 250 } as const;
  const alerts = [alert('behind', 'warning'), { ...alert(rule, 'critical'), remedy: 'Do this.' }];
  const verdict = judgeNode({ ...WELL, connection: lost, alerts });
  expect(verdict).toEqual({ tone: 'bad', word: 'Stopped itself', reasons: [`${rule} holds`, 'Do this.'] });
});

test('a chain without a final block for long is not finalizing, before any rule says so', () => {
  expect(judgeChain({ ...WELL, finalAgoMs: 7_000 }).tone).toBe('warn');
  expect(judgeChain({ ...WELL, finalAgoMs: 20_000 })).toMatchObject({ tone: 'bad', word: 'Not finalizing' });
});

test('how long no block became final goes on, whatever the alert said first', () => {
  const alerts = [alert('quorum-unreachable', 'critical'), alert('no-finality', 'critical')];
  const { reasons } = judgeChain({ ...WELL, alerts, finalAgoMs: 125_000 });
  expect(reasons).toEqual(['quorum-unreachable holds', 'No block became final for 2 min 5 s.']);
});

test('a block that is final again while the alert still stands is said to be, and not to be late by 0 s', () => {
  const { reasons } = judgeChain({ ...WELL, alerts: [alert('no-finality', 'critical')], finalAgoMs: 300 });
  expect(reasons).toEqual(['A block became final just now.']);
});

test('many views given up strain the chain, and the leader of most is named', () => {
  const { tone, reasons } = judgeChain({ ...WELL, views: nullifiedRows([1, 3, 3, 2, 3, 3]) });
  expect(tone).toBe('warn');
  expect(reasons.join(' ')).toContain('validator 3');
  const shared = judgeChain({ ...WELL, views: nullifiedRows([1, 3, 3, 2, 3, 1]) });
  expect(shared.reasons.join(' ')).toContain('see Timeline');
});

test('nothing is claimed about a chain that cannot be seen', () => {
  const lost = { type: 'lost', reason: 'gone', lostAtMs: AT_MS, retryInMs: 250 } as const;
  expect(judgeNode({ ...WELL, connection: lost })).toMatchObject({ tone: 'bad', word: 'Unreachable' });
  expect(judgeChain({ ...WELL, connection: lost }).word).toBe('Not known');
  expect(judgeNode({ ...WELL, status: null }).word).toBe('Not known');
  const behind = { ...WELL, connection: { type: 'behind', byMs: 45_000 }, finalAgoMs: 45_000 } as const;
  expect(judgeChain(behind).word).toBe('Not known');
  expect(judgeNode(behind)).toMatchObject({ tone: 'warn', reasons: ['As of 45 s ago.'] });
});

test('a node that catches up, or is not ready, says so', () => {
  expect(judgeNode({ ...WELL, status: statusOf({ syncing: true }) }).word).toBe('Catching up');
  expect(judgeNode({ ...WELL, status: statusOf({ ready: false }) }).tone).toBe('bad');
});

test('a node that drains says that it takes no transactions, and is not faulty for that', () => {
  const status = statusOf({ ready: false, draining: true });
  expect(judgeNode({ ...WELL, status })).toMatchObject({
    tone: 'info',
    word: 'Draining',
    reasons: ['Draining: takes no transactions.'],
  });
  expect(judgeNode({ ...WELL, status, alerts: [alert('disk-full', 'critical')] }).tone).toBe('bad');
});

test('the worse verdict stands in the bar', () => {
  const chain = judgeChain({ ...WELL, finalAgoMs: 20_000 });
  expect(judgeAll(judgeNode(WELL), chain)).toBe(chain);
});
