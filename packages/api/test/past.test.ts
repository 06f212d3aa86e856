import {
  createCheck,
  type EventData,
  fromSeries,
  MINUTES_MAX,
  type Past,
  PastSchema,
  SECONDS_MAX,
  type Stats,
  type StreamMessage,
} from '@slipstream/schema';
import { expect, test } from 'vitest';
import { NO_STATS } from '../../schema/test/full-stats.ts';
import { createPast } from '../src/past.ts';
import { startApi } from './running-api.ts';

const MINUTE_MS = 60_000;
const PEER = `0x${'07'.repeat(32)}`;

function statsOf(transactionsPerSecond: number): Stats {
  return {
    ...NO_STATS,
    height: 5,
    finalHeight: 5,
    certifiedHeight: 5,
    view: 6,
    blocksPerSecond: 1,
    transactionsPerSecond,
    rowsPerSecond: 0,
    peers: { connected: 3, validators: 3, blocked: 0 },
  };
}

const lost = (reason: string): EventData<'peer.lost'> => ({ peer: PEER, reason });

async function firstState(url: string, query: string): Promise<Extract<StreamMessage, { readonly type: 'state' }>> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/stream${query}`);
  try {
    return await new Promise((resolve) => {
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(data as string) as StreamMessage;
        if (message.type === 'state') resolve(message);
      };
    });
  } finally {
    socket.close();
  }
}

test('a state has the past only on request, up to its own sequence', async () => {
  const api = await startApi();
  api.hub.publish('stats', statsOf(3));
  api.hub.publish('wal.synced', { ms: 1, bytes: 10 });
  api.hub.publish('peer.lost', lost('reset'));
  const { sequence, state } = await firstState(api.url, '?past=true');
  expect(sequence).toBe(3);
  expect(createCheck(PastSchema)(state.past)).toMatchObject({ ok: true });
  const { seconds, events } = state.past as Past;
  expect(fromSeries(seconds)).toMatchObject([{ transactionsPerSecond: 3, view: 6 }]);
  expect(events).toMatchObject([{ sequence: 3, event: { type: 'peer.lost', data: lost('reset') } }]);
  expect((await firstState(api.url, '')).state).not.toHaveProperty('past');
  expect((await fetch(`${api.url}/v1/events?past=yes`)).status).toBe(400);
});

test('days of stats and a flood of one event type stay bounded, and evict no other type', () => {
  const past = createPast();
  const published = (sequence: number, type: 'evidence' | 'peer.lost', data: object) => {
    const text = JSON.stringify({ type: 'event', sequence, atMs: sequence, event: { type, data } });
    past.add({ sequence, topic: 'peers', type, text });
  };
  published(1, 'evidence', { type: 'votes', epoch: 0, offender: 2, view: 9 });
  for (let i = 2; i < 5_000; i++) published(i, 'peer.lost', lost(`the ${i}th`));
  const minutesSeen = MINUTES_MAX + 200;
  for (let i = 0; i <= minutesSeen; i++) past.addStats(statsOf(i), i * MINUTE_MS);
  const { seconds, minutes, events } = JSON.parse(past.text()) as Past;
  expect(fromSeries(seconds)).toHaveLength(SECONDS_MAX);
  expect(fromSeries(minutes)).toHaveLength(MINUTES_MAX);
  expect(fromSeries(minutes).at(-1)?.transactionsPerSecond).toBe(minutesSeen - 1);
  expect(events[0]?.event.type).toBe('evidence');
  expect(events.at(-1)?.sequence).toBe(4_999);
  expect(events.length).toBeLessThan(100);
  expect(past.text().length).toBeLessThan(1_000_000);
});

test('times stay ascending when the clock of the node is set back: later entries are left out', () => {
  const past = createPast();
  for (let i = 0; i < 5; i++) past.addStats(statsOf(i), (10 + i) * MINUTE_MS);
  for (let i = 0; i < 3; i++) past.addStats(statsOf(i), (11 + i) * MINUTE_MS - 500);
  const { seconds, minutes } = JSON.parse(past.text()) as Past;
  expect(seconds.atMs).toEqual([10 * MINUTE_MS, 11 * MINUTE_MS - 500, 12 * MINUTE_MS - 500, 13 * MINUTE_MS - 500]);
  expect(minutes.atMs).toEqual(minutes.atMs.toSorted((a, b) => a - b));
});
