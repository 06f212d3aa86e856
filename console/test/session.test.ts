/** Validation, staleness, reconnection without a gap. */
import { toSeries } from '@slipstream/schema';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSession } from '../src/stream/session.ts';
import { applyBatch, EMPTY, type Snapshot } from '../src/stream/snapshot.ts';
import { AT_MS, block, eventMessage, RUN, stateMessage, statsOf } from './live-messages.ts';
import { ScriptedSocket } from './scripted-socket.ts';

const timers = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

let snapshot: Snapshot;
let session: ReturnType<typeof startSession>;

beforeEach(() => {
  vi.useFakeTimers({ now: AT_MS });
  ScriptedSocket.all.length = 0;
  snapshot = EMPTY;
  session = startSession(
    { WebSocket: ScriptedSocket, timers, post: (batch) => (snapshot = applyBatch(snapshot, structuredClone(batch))) },
    { url: 'http://node' },
  );
});

afterEach(() => {
  session.stop();
  vi.useRealTimers();
});

function hello(sequence: number, resumed: boolean): object {
  const rest = { protocol: 1, run: RUN, oldest: 0, atMs: Date.now(), topics: ['blocks'] };
  return { type: 'hello', sequence, resumed, ...rest };
}

function goLive(): void {
  ScriptedSocket.newest().say(hello(1, false));
  ScriptedSocket.newest().say(stateMessage(1));
  vi.advanceTimersByTime(50);
}

test('state and events reach the page', () => {
  goLive();
  ScriptedSocket.newest().say(eventMessage(2, 'block.notarized', { ...block(3), signers: 3 }));
  vi.advanceTimersByTime(50);
  expect(snapshot.connection).toEqual({ type: 'live' });
  expect(snapshot.status?.chain).toBe('test');
  expect(snapshot.views.map(({ view }) => view)).toEqual([3]);
});

test('a lost stream resumes after the last message, and misses nothing', () => {
  goLive();
  ScriptedSocket.newest().say(eventMessage(2, 'block.notarized', { ...block(3), signers: 3 }));
  ScriptedSocket.newest().break();
  vi.advanceTimersByTime(50);
  expect(snapshot.connection).toMatchObject({ type: 'lost' });
  expect(snapshot.views).toHaveLength(1);

  vi.advanceTimersByTime(6_000);
  const again = ScriptedSocket.newest();
  expect(new URL(again.url.replace(/^ws/, 'http')).searchParams.get('resume')).toBe(`${RUN}:2`);
  again.say(hello(4, true));
  again.say(eventMessage(3, 'block.notarized', { ...block(4), signers: 3 }, Date.now()));
  again.say(eventMessage(4, 'block.notarized', { ...block(5), signers: 3 }, Date.now()));
  vi.advanceTimersByTime(50);
  expect(snapshot.connection).toEqual({ type: 'live' });
  expect(snapshot.views.map(({ view }) => view)).toEqual([3, 4, 5]);
});

test('a repeated event is applied once', () => {
  goLive();
  const check = eventMessage(2, 'quorum.verified', { kind: 'notarize', view: 1, votes: 3, ms: 1 });
  ScriptedSocket.newest().say(check);
  ScriptedSocket.newest().say(check);
  vi.advanceTimersByTime(50);
  expect(snapshot.checks).toHaveLength(1);
});

test('messages that violate their schema are counted and dropped; unknown ones pass', () => {
  goLive();
  const socket = ScriptedSocket.newest();
  socket.say({ type: 'event', sequence: 2, atMs: AT_MS, event: { type: 'block.notarized', data: { view: 'x' } } });
  socket.say({ type: 'event', sequence: 3, atMs: AT_MS, event: { type: 'block.applauded', data: {} } });
  socket.say({ type: 'event', sequence: 4, atMs: AT_MS, event: null });
  socket.say(eventMessage(5, 'stats', statsOf()));
  vi.advanceTimersByTime(50);
  expect(snapshot.malformed).toBe(2);
  expect(snapshot.views).toEqual([]);
  expect(snapshot.series).toHaveLength(1);
});

test('the past of a newer node is accepted without its unknown fields', () => {
  const evidence = eventMessage(2, 'evidence', { type: 'votes', epoch: 0, offender: 1, view: 3 });
  const applause = { ...evidence, event: { type: 'hall.applauded', data: {} } } as unknown as typeof evidence;
  const past = { seconds: toSeries([]), minutes: toSeries([]), events: [applause, evidence] };
  expect(new URL(ScriptedSocket.newest().url.replace(/^ws/, 'http')).searchParams.get('past')).toBe('true');
  ScriptedSocket.newest().say(hello(1, false));
  ScriptedSocket.newest().say(stateMessage(3, { past }));
  vi.advanceTimersByTime(50);
  expect(snapshot.malformed).toBe(0);
  expect(snapshot.evidence).toMatchObject([{ offender: 1, view: 3 }]);
});

test('an unresponsive node is stale, and live again with the next message', () => {
  goLive();
  vi.advanceTimersByTime(5_000);
  expect(snapshot.connection).toMatchObject({ type: 'stale' });
  ScriptedSocket.newest().say(eventMessage(2, 'stats', statsOf(), Date.now()));
  vi.advanceTimersByTime(50);
  expect(snapshot.connection).toEqual({ type: 'live' });
});

test('the shown age is that of the last message, also when a timeout ended the stream', () => {
  goLive();
  const lastMs = Date.now() - 50;
  vi.advanceTimersByTime(5_000);
  expect(snapshot.connection).toEqual({ type: 'stale', sinceMs: lastMs });
  vi.advanceTimersByTime(15_000);
  expect(snapshot.connection).toMatchObject({ lostAtMs: lastMs });
});

test('late messages are not live, until they arrive in time again', () => {
  goLive();
  for (let second = 1; second <= 60; second++) {
    vi.advanceTimersByTime(1_000);
    // Messages of one second arrive in four.
    ScriptedSocket.newest().say(eventMessage(1 + second, 'stats', statsOf(), AT_MS + 250 * second));
  }
  vi.advanceTimersByTime(50);
  expect(snapshot.connection).toEqual({ type: 'behind', byMs: 45_000 });
  ScriptedSocket.newest().say(eventMessage(62, 'stats', statsOf(), Date.now() - 100));
  vi.advanceTimersByTime(50);
  expect(snapshot.connection).toEqual({ type: 'live' });
});

test('the clocks of the node and of this machine may differ', () => {
  goLive();
  ScriptedSocket.newest().say(eventMessage(2, 'stats', statsOf(), Date.now() - 5_000));
  ScriptedSocket.newest().say(eventMessage(3, 'stats', statsOf(), Date.now() + 90_000));
  vi.advanceTimersByTime(50);
  expect(snapshot.skewMs).toBe(-90_000);
});

/** One message per second for 15 s, by a clock at `aheadMs`. */
function stats(firstSequence: number, aheadMs: number, startMs: number): void {
  for (let i = 0; i < 15; i++) {
    vi.advanceTimersByTime(1_000);
    const nodeMs = startMs + aheadMs + 1_000 * (i + 1);
    ScriptedSocket.newest().say(eventMessage(firstSequence + i, 'stats', statsOf(), nodeMs));
  }
  vi.advanceTimersByTime(50);
}

test("the node's clock may be set back while the page is open: no message counts as late", () => {
  goLive();
  stats(2, 0, AT_MS);
  stats(17, -60_000, AT_MS + 15_000);
  expect(snapshot.connection).toEqual({ type: 'live' });
  expect(snapshot.skewMs).toBeGreaterThanOrEqual(60_000);
  expect(snapshot.skewMs).toBeLessThan(60_200);
});

test("this machine's clock may be set while the page is open: no message counts as late", () => {
  goLive();
  stats(2, 0, AT_MS);
  vi.setSystemTime(Date.now() + 60_000);
  stats(17, 0, AT_MS + 15_000);
  expect(snapshot.connection).toEqual({ type: 'live' });
  expect(snapshot.skewMs).toBeGreaterThanOrEqual(60_000);
  expect(snapshot.skewMs).toBeLessThan(60_200);
});

test("this machine's clock may be set back while the page is open: updates continue", () => {
  goLive();
  vi.setSystemTime(Date.now() - 3_600_000);
  ScriptedSocket.newest().say(eventMessage(2, 'block.notarized', { ...block(3), signers: 3 }));
  vi.advanceTimersByTime(50);
  expect(snapshot.views.map(({ view }) => view)).toEqual([3]);
});
