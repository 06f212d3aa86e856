import type { Alert, Peer, Stats, StreamEvent } from '@slipstream/schema';
import { expect, test } from 'vitest';
import { NO_STATS } from '../../../../packages/schema/test/full-stats.ts';
import { linesOf, summaryOf } from '../../src/cli/watch/draw.ts';
import { NOTHING_SEEN, type WatchedNode, withConnection, withEvent } from '../../src/cli/watch/model.ts';
import { frameOf } from '../../src/cli/watch/watch.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 12, 0, 0);

const stats: Stats = {
  ...NO_STATS,
  height: 41,
  finalHeight: 42,
  certifiedHeight: 41,
  view: 50,
  blocksPerSecond: 5,
  transactionsPerSecond: 300,
  rowsPerSecond: 0,
  blockTimeMs: { p50: 100, p95: 120, p99: 150 },
  mempool: { transactions: 3, bytes: 700 },
  peers: { connected: 2, validators: 2, blocked: 0 },
};

const peer: Peer = {
  peer: 'ab'.repeat(32),
  role: 'validator',
  validator: 2,
  connected: true,
  address: '10.0.0.2:9000',
  roundTripMs: 12.4,
  blocked: null,
} as Peer;

const alert: Alert = {
  rule: 'no-finality',
  severity: 'critical',
  message: 'no block was finalized for 12 s',
  threshold: 'no block final for 10 s',
  remedy: 'Look at Peers.',
  sinceMs: NOW_MS,
};

function seenAfter(...events: { readonly type: string; readonly data: unknown }[]): WatchedNode {
  const live = withConnection(NOTHING_SEEN, { type: 'live', resumed: false });
  return events.reduce(
    (seen, event) => withEvent(seen, { type: 'event', sequence: 1, atMs: NOW_MS, event } as StreamEvent),
    {
      ...live,
      status: { node: { name: 'one', validator: 1 }, chain: 'test' } as WatchedNode['status'],
    },
  );
}

const textOf = (seen: WatchedNode, nowMs = NOW_MS) => linesOf(seen, nowMs).join('\n');

test('figures of the last second are shown, and missing ones are marked missing', () => {
  const text = textOf(seenAfter({ type: 'stats', data: stats }));
  expect(text).toContain('41 committed');
  expect(text).toContain('p50 100  p95 120  p99 150 ms');
  expect(text).toContain('finality    none yet');
});

test('the last figures of an unresponsive node are marked stale', () => {
  const seen = seenAfter({ type: 'stats', data: stats });
  expect(textOf(seen, NOW_MS + 1000)).toContain('live');
  expect(textOf(seen, NOW_MS + 20_000)).toContain('STALE: no message for 20 s');
});

test('a lost connection shows the reason and the time of the next attempt', () => {
  const seen = withConnection(seenAfter(), { type: 'lost', reason: 'refused', retryInMs: 2500 });
  expect(textOf(seen)).toContain('LOST: refused; retry in 2.5 s');
});

test('an alert is shown with its remedy until it is cleared', () => {
  const raised = seenAfter({ type: 'alert.raised', data: alert });
  expect(textOf(raised)).toContain('-> Look at Peers.');
  const cleared = seenAfter(
    { type: 'alert.raised', data: alert },
    { type: 'alert.cleared', data: { rule: alert.rule } },
  );
  expect(textOf(cleared)).toContain('alerts      none');
});

test('an alert whose message changes is updated, and logged once', () => {
  const changed = { ...alert, message: 'no block was finalized for 40 s' };
  const seen = seenAfter({ type: 'alert.raised', data: alert }, { type: 'alert.changed', data: changed });
  expect(textOf(seen)).toContain('no block was finalized for 40 s');
  expect(seen.notes).toHaveLength(1);
});

test('a disconnected validator is offline, and the note gives the reason', () => {
  const seen = seenAfter(
    { type: 'peer.connected', data: peer },
    { type: 'peer.lost', data: { peer: peer.peer, reason: 'closed' } },
  );
  expect(textOf(seen)).toContain('validator 2 OFFLINE');
  expect(textOf(seen)).toContain('lost: validator 2: closed');
});

test('notes and rates are bounded', () => {
  const many = Array.from({ length: 500 }, (_, view) => ({
    type: 'view.nullified',
    data: { view, leader: 0, reason: 'timeout' },
  }));
  const rates = Array.from({ length: 500 }, () => ({ type: 'stats', data: stats }));
  const seen = seenAfter(...many, ...rates);
  expect(seen.notes).toHaveLength(8);
  expect(seen.notes[0]?.text).toContain('view 499');
  expect(seen.blockRates).toHaveLength(60);
});

test('output without a screen is one summary line per second', () => {
  const seen = seenAfter({ type: 'stats', data: stats }, { type: 'alert.raised', data: alert });
  expect(summaryOf(seen, NOW_MS)).toBe('12:00:00 height 41, 5.0 blocks/s, 300 tx/s, 2 peers, ALERTS no-finality');
});

test('a watched screen contains only its own escape sequences', () => {
  expect(frameOf(['node \u001b]0;title\u0007', 'next'])).toBe(
    '\u001b[Hnode \ufffd]0;title\ufffd\u001b[K\nnext\u001b[K\n\u001b[J',
  );
});

test('an epoch that begins changes the role of the node and of its peers', () => {
  const members = [{ index: 0, weight: 1, blsPublicKey: '0x', peer: peer.peer }];
  const begun = { epoch: 3, height: 70, view: 80, validator: null, totalWeight: 1, quorumWeight: 1, members };
  const seen = seenAfter({ type: 'peer.connected', data: peer }, { type: 'epoch.begun', data: begun });
  expect(seen.peers.get(peer.peer)).toMatchObject({ validator: 0, role: 'validator' });
  expect(seen.status).toMatchObject({ epoch: 3, node: { role: 'full-node', validator: null } });
  expect(textOf(seen)).toContain('epoch 3 began: 1 validator');
});
