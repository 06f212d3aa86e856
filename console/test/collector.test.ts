import { type Past, SECONDS_MAX, seriesPoint, toSeries } from '@slipstream/schema';
import { describe, expect, test } from 'vitest';
import { createCollector } from '../src/stream/collector.ts';
import { ACTIVITY_MAX, CHECKS_MAX, VIEWS_MAX } from '../src/stream/limits.ts';
import { applyBatch, EMPTY, type Snapshot } from '../src/stream/snapshot.ts';
import { AT_MS, block, eventMessage, idOf, newestFirst, peerOf, stateMessage, statsOf } from './live-messages.ts';

function startedAt(state = stateMessage(1)) {
  const collector = createCollector();
  collector.state(state);
  let snapshot: Snapshot = EMPTY;
  const drain = () => {
    const batch = collector.take();
    if (batch !== undefined) snapshot = applyBatch(snapshot, batch);
    return snapshot;
  };
  drain();
  return { collector, drain };
}

describe('views', () => {
  test('events of one view become one row, with the times of the node once it is committed', () => {
    const { collector, drain } = startedAt();
    const at = (ms: number) => 1_790_000_000_000 + ms;
    collector.event(
      eventMessage(2, 'block.proposed', { ...block(7), leader: 3, kind: 'optimistic', chunks: 0 }, at(0)),
    );
    collector.event(eventMessage(3, 'block.notarized', { ...block(7), signers: 3 }, at(40)));
    expect(drain().views).toMatchObject([{ view: 7, leader: 3, notarizeSigners: 3, times: { notarizedMs: at(40) } }]);
    const times = { proposedMs: at(1), notarizedMs: at(38), committedMs: at(90) };
    const committed = {
      ...block(7),
      proposer: 3,
      timestampMs: at(0),
      transactions: 12,
      rows: 3,
      times,
      shadowedMs: 30,
    };
    collector.event(eventMessage(4, 'block.committed', committed, at(95)));
    expect(drain().views).toMatchObject([{ view: 7, transactions: 12, rows: 3, shadowedMs: 30, times }]);
  });

  test('a nullified view has its reason and leader', () => {
    const { collector, drain } = startedAt();
    collector.event(eventMessage(2, 'view.nullified', { view: 9, leader: 1, reason: 'timeout' }));
    expect(drain().views).toMatchObject([{ view: 9, leader: 1, nullified: { reason: 'timeout' } }]);
  });

  test('unchanged rows stay the same objects', () => {
    const { collector, drain } = startedAt();
    collector.event(eventMessage(2, 'block.notarized', { ...block(1), signers: 3 }));
    collector.event(eventMessage(3, 'block.notarized', { ...block(2), signers: 3 }));
    const [first] = drain().views;
    collector.event(eventMessage(4, 'block.certified', { ...block(2), stateDigest: idOf(1), signers: 3 }));
    expect(drain().views[0]).toBe(first);
  });
});

test('events of epochs, validators and proposals, and each full state, have readers query the node again', () => {
  const { collector, drain } = startedAt();
  const after = (...args: Parameters<typeof eventMessage>) => {
    collector.event(eventMessage(...args));
    return drain().governanceVersion;
  };
  const version = after(2, 'governance.changed', { height: 7 });
  expect(version).toBeGreaterThan(0);
  expect(after(3, 'epoch.sealed', { epoch: 1, height: 8, recordHash: idOf(1), members: 4 })).toBe(version + 1);
  expect(after(4, 'evidence', { type: 'votes', epoch: 0, offender: 1, view: 3 })).toBe(version + 1);
});

describe('bounds', () => {
  test('views, checks, seconds and activity stay within their maxima, and the newest are retained', () => {
    const { collector, drain } = startedAt();
    for (let i = 1; i <= 1_000; i++) {
      collector.event(eventMessage(4 * i, 'block.notarized', { ...block(i), signers: 3 }));
      collector.event(eventMessage(4 * i + 1, 'quorum.verified', { kind: 'notarize', view: i, votes: 3, ms: 1 }));
      collector.event(eventMessage(4 * i + 2, 'stats', statsOf({ view: i })));
      collector.event(eventMessage(4 * i + 3, 'evidence', { type: 'votes', epoch: 0, offender: 1, view: i }));
      if (i % 7 === 0) drain();
    }
    const { views, checks, series, activity } = drain();
    expect([views.length, checks.length, series.length]).toEqual([VIEWS_MAX, CHECKS_MAX, SECONDS_MAX]);
    expect(activity.length).toBe(ACTIVITY_MAX);
    expect(views.at(-1)?.view).toBe(1_000);
    expect(checks.at(-1)?.view).toBe(1_000);
  });
});

describe('peers and alerts', () => {
  test('a blocked peer keeps its reason, and loses it when an operator unblocks it', () => {
    const { collector, drain } = startedAt(stateMessage(1, { peers: [peerOf(2)] }));
    const blocked = {
      peer: idOf(2),
      validator: 2,
      reason: 'invalid-signature',
      detail: 'vote',
      view: 4,
      by: 'node',
    } as const;
    collector.event(eventMessage(2, 'peer.blocked', blocked));
    const before = drain();
    expect(before.peers).toMatchObject([{ connected: false, blocked: { reason: 'invalid-signature', view: 4 } }]);
    collector.event(eventMessage(3, 'peer.unblocked', { peer: idOf(2) }));
    const after = drain();
    expect(after.peers[0]?.blocked).toBeNull();
    expect(after.peersVersion).toBe(before.peersVersion + 1);
  });

  test('an epoch that begins has another committee, and its members other indices and keys', () => {
    const peers = [peerOf(1), peerOf(2), peerOf(3), peerOf(4, { validator: null, role: 'full-node' })];
    const { collector, drain } = startedAt(stateMessage(1, { peers }));
    const memberOf = (index: number, n: number, fields = {}) => {
      const blsPublicKey = `0x${'00'.repeat(48)}`;
      return { index, weight: 1, blsPublicKey, peer: idOf(n), ...fields };
    };
    const members = [memberOf(0, 10), memberOf(1, 30, { previousPeer: idOf(3) }), memberOf(2, 4), memberOf(3, 1)];
    const committee = { epoch: 1, totalWeight: 4, quorumWeight: 3, members };
    collector.event(eventMessage(2, 'epoch.begun', { ...committee, height: 80, view: 90, validator: null }));
    const { status, committee: shown, peers: after, activity } = drain();
    expect(shown).toEqual({ ...committee, firstView: 90 });
    expect(status).toMatchObject({ epoch: 1, node: { role: 'full-node', validator: null } });
    expect(after.map(({ peer, validator, role }) => ({ peer, validator, role }))).toEqual([
      { peer: idOf(1), validator: 3, role: 'validator' },
      { peer: idOf(2), validator: null, role: 'full-node' },
      { peer: idOf(30), validator: 1, role: 'validator' },
      { peer: idOf(4), validator: 2, role: 'validator' },
    ]);
    expect(activity.map(({ text }) => text)).toEqual(['Epoch 1 began: 4 validators']);
  });

  test('an alert is listed until it is cleared', () => {
    const { collector, drain } = startedAt();
    const words = { message: 'no block', threshold: '10 s', remedy: 'look at Peers' };
    collector.event(
      eventMessage(2, 'alert.raised', { rule: 'no-finality', severity: 'critical', sinceMs: 1, ...words }),
    );
    expect(drain().alerts).toMatchObject([{ rule: 'no-finality' }]);
    collector.event(eventMessage(3, 'alert.cleared', { rule: 'no-finality' }));
    expect(drain().alerts).toEqual([]);
  });

  test('an alert whose message changes keeps its place, and is listed once', () => {
    const { collector, drain } = startedAt();
    const words = { severity: 'warning', threshold: '', remedy: '', sinceMs: 1 } as const;
    const away = { ...words, rule: 'validator-offline', message: 'validator 2 is offline' };
    collector.event(eventMessage(2, 'alert.raised', away));
    collector.event(eventMessage(3, 'alert.raised', { ...words, rule: 'behind', message: '9 blocks behind' }));
    collector.event(eventMessage(4, 'alert.changed', { ...away, message: 'validators 2, 3 are offline' }));
    const { alerts, activity } = drain();
    expect(alerts.map(({ message }) => message)).toEqual(['validators 2, 3 are offline', '9 blocks behind']);
    expect(activity.map(({ text }) => text)).toEqual(['Alert: validator 2 is offline', 'Alert: 9 blocks behind']);
  });

  test('repeated events are one line with a count', () => {
    const { collector, drain } = startedAt();
    for (let i = 0; i < 5; i++) {
      collector.event(eventMessage(2 + i, 'view.nullified', { view: 4 * i, leader: 3, reason: 'timeout' }));
      if (i === 2) drain();
    }
    expect(drain().activity).toMatchObject([{ times: 5, text: 'View 16 nullified: timeout, leader 3' }]);
  });
});

describe('the full state', () => {
  test('of the same node replaces the figures and keeps the rows', () => {
    const { collector, drain } = startedAt();
    collector.event(eventMessage(2, 'block.notarized', { ...block(3), signers: 3 }));
    drain();
    collector.state(stateMessage(9, { status: { height: 8 } }));
    const { status, views } = drain();
    expect(status?.height).toBe(8);
    expect(views).toHaveLength(1);
  });

  test('of another chain clears everything', () => {
    const { collector, drain } = startedAt(stateMessage(1, { peers: [peerOf(2)] }));
    collector.event(eventMessage(2, 'block.notarized', { ...block(3), signers: 3 }));
    collector.event(eventMessage(3, 'stats', statsOf()));
    drain();
    collector.state(stateMessage(9, { status: { genesisHash: idOf(99) } }));
    const { status, views, series, peers } = drain();
    expect(status?.genesisHash).toBe(idOf(99));
    expect([views.length, series.length, peers.length]).toEqual([0, 0, 0]);
  });
});

describe('the past', () => {
  const MINUTE_MS = 60_000;
  const startMs = Math.floor(AT_MS / MINUTE_MS) * MINUTE_MS;
  const secondsUpTo = (count: number) =>
    Array.from({ length: count }, (_, i) => seriesPoint(statsOf({ transactionsPerSecond: i }), startMs + i * 1_000));
  const pastOf = (fields: Partial<Past> = {}): Past => ({
    seconds: toSeries([]),
    minutes: toSeries([]),
    events: [],
    ...fields,
  });

  test('charts begin with the past of the node, and continue', () => {
    const minutes = toSeries([seriesPoint(statsOf({ transactionsPerSecond: 7 }), startMs - 1_000)]);
    const past = pastOf({ seconds: toSeries(secondsUpTo(90)), minutes });
    const { collector, drain } = startedAt(stateMessage(1, { past }));
    collector.event(eventMessage(2, 'stats', statsOf({ transactionsPerSecond: 500 }), startMs + 120_000));
    const { series, minutes: days } = drain();
    expect(series.map((point) => point.transactionsPerSecond)).toEqual([...Array(90).keys(), 500]);
    // The seconds contain the whole first minute; the second is complete when its successor comes.
    expect(days.map((point) => point.transactionsPerSecond)).toEqual([7, 29.5, 74.5]);
  });

  test('a state after a gap fills it, and adds nothing twice', () => {
    const { collector, drain } = startedAt();
    const before = eventMessage(2, 'evidence', { type: 'votes', epoch: 0, offender: 1, view: 3 });
    collector.event(before);
    collector.event(eventMessage(3, 'stats', statsOf()));
    drain();
    const missed = eventMessage(8, 'evidence', { type: 'chunks', epoch: 0, offender: 2, view: 4 }, AT_MS + 5_000);
    const past = pastOf({ seconds: toSeries(secondsUpTo(9)), events: [before, missed] });
    collector.state(stateMessage(9, { past }));
    const { evidence, activity, series } = drain();
    expect(evidence.map(({ offender }) => offender)).toEqual([1, 2]);
    expect(activity.map(({ text }) => text)).toEqual([
      'Validator 1 signed two votes in view 3',
      'Validator 2 signed two chunks in view 4',
    ]);
    expect(series).toHaveLength(9);
  });

  test('nullified views have their reasons among the blocks of the state, and no rows before these', () => {
    const givenUp = (view: number) => eventMessage(view, 'view.nullified', { view, leader: 3, reason: 'away' });
    const blocks = newestFirst([10, 10], [11, 12]);
    const before = Array.from({ length: ACTIVITY_MAX }, (_, view) => givenUp(view % 10));
    const over = eventMessage(1, 'alert.cleared', { rule: 'behind' });
    const past = pastOf({ events: [over, ...before, givenUp(11)] });
    const { views, activity } = startedAt(stateMessage(20, { blocks, past })).drain();
    expect(views.map(({ view, nullified }) => [view, nullified?.reason])).toEqual([
      [10, undefined],
      [11, 'away'],
      [12, undefined],
    ]);
    expect(activity).toMatchObject([
      { times: 1, text: 'Alert cleared: behind' },
      { times: ACTIVITY_MAX + 1, text: 'View 11 nullified: away, leader 3' },
    ]);
  });
});

test('a node that catches up, becomes ready or drains is updated each second by its summary', () => {
  const { collector, drain } = startedAt(stateMessage(1, { status: { ready: false, syncing: true } }));
  collector.event(eventMessage(2, 'stats', statsOf({ ready: true, syncing: false })));
  expect(drain().status).toMatchObject({ ready: true, syncing: false });
  collector.event(eventMessage(3, 'stats', statsOf({ ready: false, draining: true })));
  expect(drain().status).toMatchObject({ ready: false, draining: true });
});

test('without changes there is no batch', () => {
  const { collector } = startedAt();
  expect(collector.take()).toBeUndefined();
});

test('charts stay in the order of time when the clock of the node is set back', () => {
  const collector = createCollector();
  let snapshot = EMPTY;
  const say = (sequence: number, atMs: number) => collector.event(eventMessage(sequence, 'stats', statsOf(), atMs));
  const hand = () => {
    snapshot = applyBatch(
      snapshot,
      collector.take() ?? { reset: false, governanceChanged: false, replace: {}, views: [], append: {} },
    );
  };
  say(1, AT_MS);
  say(2, AT_MS + 1_000);
  hand();
  say(3, AT_MS + 2_000);
  say(4, AT_MS + 500);
  hand();
  expect(snapshot.series.map(({ atMs }) => atMs - AT_MS)).toEqual([0, 500]);
});
