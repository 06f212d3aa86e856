import { expect, test } from 'vitest';
import { chainHealth, type Evidence, nodeHealth, worseHealth, worstFirst } from '../src/node/health.ts';
import type { ViewRow } from '../src/stream/snapshot.ts';
import { createViewRows } from '../src/stream/view-rows.ts';
import { AT_MS, eventMessage, statsOf, statusOf } from './live-messages.ts';

const HEALTHY: Evidence = {
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

test('a live node whose blocks become final is healthy, and so is the chain', () => {
  expect([nodeHealth(HEALTHY).tone, chainHealth(HEALTHY).tone]).toEqual(['good', 'good']);
});

test('an alert about the chain counts for the chain, any other for the node, each with its message', () => {
  const chain = { ...HEALTHY, alerts: [alert('no-finality', 'critical')] };
  expect([nodeHealth(chain).tone, chainHealth(chain).tone]).toEqual(['good', 'bad']);
  const node = { ...HEALTHY, alerts: [alert('commit-lag', 'warning')] };
  expect(nodeHealth(node)).toMatchObject({ tone: 'warn', reasons: ['commit-lag holds'] });
  expect(chainHealth(node).tone).toBe('good');
});

test('the worst alert comes first, and equal messages of two rules are shown once', () => {
  const low = { ...alert('disk-low', 'warning'), message: 'only 9 MiB are free' };
  const alerts = [alert('behind', 'warning'), low, { ...low, rule: 'disk-full', severity: 'critical' as const }];
  expect(worstFirst(alerts).map(({ rule }) => rule)).toEqual(['disk-full', 'behind', 'disk-low']);
  expect(nodeHealth({ ...HEALTHY, alerts }).reasons).toEqual(['only 9 MiB are free', 'behind holds']);
});

test.each(['halted', 'disk-failed'])('a node that sent %s stopped itself, and its remedy stays visible', (rule) => {
  const lost = { type: 'lost', reason: 'gone', lostAtMs: AT_MS, retryInMs: 250 } as const;
  const alerts = [alert('behind', 'warning'), { ...alert(rule, 'critical'), remedy: 'Do this.' }];
  const health = nodeHealth({ ...HEALTHY, connection: lost, alerts });
  expect(health).toEqual({ tone: 'bad', label: 'Halted', reasons: [`${rule} holds`, 'Do this.'] });
});

test('a chain without a recent final block is not finalizing, before any alert', () => {
  expect(chainHealth({ ...HEALTHY, finalAgoMs: 7_000 }).tone).toBe('warn');
  expect(chainHealth({ ...HEALTHY, finalAgoMs: 20_000 })).toMatchObject({ tone: 'bad', label: 'Not finalizing' });
});

test('the time without a final block is counted up, whatever the alert reported first', () => {
  const alerts = [alert('quorum-unreachable', 'critical'), alert('no-finality', 'critical')];
  const { reasons } = chainHealth({ ...HEALTHY, alerts, finalAgoMs: 125_000 });
  expect(reasons).toEqual(['quorum-unreachable holds', 'No block was finalized for 2 min 5 s.']);
});

test('a new final block is shown while the alert is still active, without a delay of 0 s', () => {
  const { reasons } = chainHealth({ ...HEALTHY, alerts: [alert('no-finality', 'critical')], finalAgoMs: 300 });
  expect(reasons).toEqual(['A block was finalized just now.']);
});

test('many nullified views degrade the chain, and the leader of most is named', () => {
  const { tone, reasons } = chainHealth({ ...HEALTHY, views: nullifiedRows([1, 3, 3, 2, 3, 3]) });
  expect(tone).toBe('warn');
  expect(reasons.join(' ')).toContain('validator 3');
  const shared = chainHealth({ ...HEALTHY, views: nullifiedRows([1, 3, 3, 2, 3, 1]) });
  expect(shared.reasons.join(' ')).toContain('see Timeline');
});

test('the health of an unreachable chain is unknown', () => {
  const lost = { type: 'lost', reason: 'gone', lostAtMs: AT_MS, retryInMs: 250 } as const;
  expect(nodeHealth({ ...HEALTHY, connection: lost })).toMatchObject({ tone: 'bad', label: 'Unreachable' });
  expect(chainHealth({ ...HEALTHY, connection: lost }).label).toBe('Unknown');
  expect(nodeHealth({ ...HEALTHY, status: null }).label).toBe('Unknown');
  const behind = { ...HEALTHY, connection: { type: 'behind', byMs: 45_000 }, finalAgoMs: 45_000 } as const;
  expect(chainHealth(behind).label).toBe('Unknown');
  expect(nodeHealth(behind)).toMatchObject({ tone: 'warn', reasons: ['Data is 45 s old.'] });
});

test('a node that catches up, or is not ready, shows that', () => {
  expect(nodeHealth({ ...HEALTHY, status: statusOf({ syncing: true }) }).label).toBe('Syncing');
  expect(nodeHealth({ ...HEALTHY, status: statusOf({ ready: false }) }).tone).toBe('bad');
});

test('a validator that does not sign shows up to which view and why, once, also with its alert', () => {
  const status = statusOf({ signing: { state: 'refused', upToView: 65, reason: 'wal-lost', recovering: false } });
  const reasons = [
    'Not voting: it signs nothing up to view 65: its write-ahead log was lost, so what it signed up to there is unknown.',
  ];
  for (const alerts of [[], [alert('signing-refused', 'warning')]]) {
    expect(nodeHealth({ ...HEALTHY, status, alerts })).toEqual({ tone: 'warn', label: 'Not signing', reasons });
  }
});

test('a draining node shows that it accepts no transactions, and is not faulty for that', () => {
  const status = statusOf({ ready: false, draining: true });
  expect(nodeHealth({ ...HEALTHY, status })).toMatchObject({
    tone: 'info',
    label: 'Draining',
    reasons: ['Draining: new transactions are not accepted.'],
  });
  expect(nodeHealth({ ...HEALTHY, status, alerts: [alert('disk-full', 'critical')] }).tone).toBe('bad');
});

test('the worse health is shown in the bar', () => {
  const chain = chainHealth({ ...HEALTHY, finalAgoMs: 20_000 });
  expect(worseHealth(nodeHealth(HEALTHY), chain)).toBe(chain);
});
