import { connect } from 'node:net';
import { createCheck, type StreamMessage, StreamMessageSchema } from '@slipstream/schema';
import { afterEach, describe, expect, it } from 'vitest';
import { openStreamSession } from '../src/streams/stream-session.ts';
import { realClock as clock, type RunningApi, type RunOptions, runApi } from './running-api.ts';

let running: RunningApi[] = [];
afterEach(async () => {
  for (const api of running) await api.stop();
  running = [];
});

async function start(options?: RunOptions): Promise<RunningApi> {
  const api = await runApi(options);
  running.push(api);
  return api;
}

interface Reader {
  readonly messages: StreamMessage[];
  readonly socket: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** First message of this type from `from` on. */
  next<T extends StreamMessage['type']>(type: T, from?: number): Promise<Extract<StreamMessage, { readonly type: T }>>;
}

const check = createCheck(StreamMessageSchema);

function read({ url }: RunningApi, query = ''): Reader {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/stream${query}`);
  const messages: StreamMessage[] = [];
  const wakers = new Set<() => void>();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data as string) as StreamMessage;
    expect(check(message)).toMatchObject({ ok: true });
    messages.push(message);
    for (const wake of wakers) wake();
  };
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.onclose = ({ code, reason }) => resolve({ code, reason });
  });
  socket.onerror = () => {};
  const next = <T extends StreamMessage['type']>(type: T, from = 0) =>
    new Promise<Extract<StreamMessage, { readonly type: T }>>((resolve) => {
      const wake = () => {
        const found = messages.slice(from).find((message) => message.type === type);
        if (!found) return;
        wakers.delete(wake);
        resolve(found as Extract<StreamMessage, { readonly type: T }>);
      };
      wakers.add(wake);
      wake();
    });
  return { messages, socket, closed, next };
}

const synced = (ms: number) => ({ ms, bytes: 10 });
const sequencesOf = (reader: Reader) => reader.messages.flatMap((m) => (m.type === 'event' ? [m.sequence] : []));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('the event stream', () => {
  it('begins with hello and the full state, and continues with events in order', async () => {
    const api = await start();
    api.hub.publish('wal.synced', synced(1));
    const reader = read(api);
    const hello = await reader.next('hello');
    expect(hello).toMatchObject({ run: api.hub.run, sequence: 0, oldest: 0, resumed: false });
    const state = await reader.next('state');
    expect(state.state).toMatchObject({ status: { height: 0 }, committee: { totalWeight: 4, quorumWeight: 3 } });
    api.hub.publish('wal.synced', synced(2));
    api.node.commit();
    await until(() => sequencesOf(reader).length === 2);
    expect(sequencesOf(reader)).toEqual([2, 3]);
    expect(reader.messages.map(({ type }) => type)).toEqual(['hello', 'state', 'event', 'event']);
  });

  it('resumes after the last sequence without a gap and without the state', async () => {
    const api = await start();
    for (let i = 0; i < 10; i++) api.hub.publish('wal.synced', synced(i));
    const reader = read(api, `?resume=${api.hub.run}:4`);
    expect(await reader.next('hello')).toMatchObject({ resumed: true, sequence: 4 });
    api.hub.publish('wal.synced', synced(11));
    await until(() => sequencesOf(reader).length === 7);
    expect(sequencesOf(reader)).toEqual([5, 6, 7, 8, 9, 10, 11]);
    expect(reader.messages.some(({ type }) => type === 'state')).toBe(false);
  });

  it('sends the state again to a reader that asks for pruned events or names another run', async () => {
    const api = await start({ eventsMax: 4 });
    for (let i = 0; i < 10; i++) api.hub.publish('wal.synced', synced(i));
    for (const resume of [`${api.hub.run}:3`, `${'0'.repeat(16)}:10`, `${api.hub.run}:11`, `${api.hub.run}:0`]) {
      const reader = read(api, `?resume=${resume}`);
      expect(await reader.next('hello')).toMatchObject({ resumed: false });
      expect(await reader.next('state')).toMatchObject({ sequence: 10 });
    }
  });

  it('sends only the subscribed topics, and changes them on request', async () => {
    const api = await start();
    const reader = read(api, '?topics=peers,alerts');
    await reader.next('state');
    api.hub.publish('wal.synced', synced(1));
    api.hub.publish('peer.lost', { peer: `0x${'11'.repeat(32)}`, reason: 'gone' });
    await until(() => sequencesOf(reader).length === 1);
    expect(sequencesOf(reader)).toEqual([2]);
    reader.socket.send(JSON.stringify({ type: 'subscribe', topics: ['storage'] }));
    expect(await reader.next('subscribed')).toMatchObject({ topics: ['storage'] });
    api.hub.publish('wal.synced', synced(1));
    await until(() => sequencesOf(reader).length === 2);
    expect(sequencesOf(reader)).toEqual([2, 3]);
  });

  it('sends heartbeats when idle, with a sequence to resume at', async () => {
    const api = await start({ limits: { heartbeatMs: 20 } });
    api.hub.publish('wal.synced', synced(1));
    const reader = read(api, '?topics=peers');
    expect(await reader.next('heartbeat')).toMatchObject({ sequence: 1 });
  });

  it('names the position of its reader in every message, not that of the node, so that a resume leaves no gap', async () => {
    const api = await start();
    const sent: StreamMessage[] = [];
    let unsentBytes = 0;
    const session = openStreamSession(
      { hub: api.hub, snapshots: { take: async () => ({ sequence: api.hub.sequence(), stateText: '{}' }) }, clock },
      {
        send: (text) => sent.push(JSON.parse(text)),
        unsentBytes: () => unsentBytes,
        onRoom() {},
        end() {},
      },
      { topics: ['storage'], resume: undefined, past: false },
      { streamBufferBytesMax: 100, heartbeatMs: 60_000 },
    );
    session.subscribe(['storage', 'peers']);
    await until(() => sent.some(({ type }) => type === 'state'));
    api.hub.publish('wal.synced', synced(1));
    unsentBytes = 1_000; // no capacity
    api.hub.publish('wal.synced', synced(2));
    session.subscribe(['storage']);
    api.hub.publish('wal.synced', synced(3));
    session.end('slow', 'not read');
    expect(sent.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['hello', 0],
      ['subscribed', 0],
      ['state', 0],
      ['event', 1],
      ['subscribed', 1],
      ['bye', 1],
    ]);
  });

  it('drops an event that violates its schema and logs it once', async () => {
    const api = await start();
    for (let i = 0; i < 3; i++) api.hub.publish('peer.lost', { peer: 'nobody', reason: 'gone' });
    expect(api.hub.sequence()).toBe(0);
    expect(api.faults).toHaveLength(1);
  });

  it('informs its readers when the node stops', async () => {
    const api = await start();
    const reader = read(api);
    await reader.next('state');
    await api.stop();
    expect(await reader.next('bye')).toMatchObject({ reason: 'stopping' });
    expect((await reader.closed).code).toBe(1001);
  });

  it('ends with a reason when the state cannot be gathered', async () => {
    const api = await start({ backend: { peers: () => Promise.reject(new Error('no peers')) } });
    const reader = read(api);
    expect(await reader.next('bye')).toMatchObject({ reason: 'internal' });
    expect((await reader.closed).code).toBe(1011);
    expect(api.faults.join()).toContain('no peers');
  });
});

describe('hostile readers of the stream', () => {
  it('that send malformed requests are informed and dropped', async () => {
    const api = await start();
    for (const message of ['{', '{"type":"nope"}', '{"type":"subscribe","topics":["nope"]}', new Uint8Array(4)]) {
      const reader = read(api);
      await reader.next('state');
      reader.socket.send(message);
      expect(await reader.next('bye')).toMatchObject({ reason: 'malformed-message' });
      expect((await reader.closed).code).toBe(4400);
    }
  });

  it('that send too much at once or too often are dropped', async () => {
    const api = await start();
    const large = read(api);
    await large.next('state');
    large.socket.send('x'.repeat(10_000));
    expect((await large.closed).code).toBe(4400);
    const often = read(api);
    await often.next('state');
    for (let i = 0; i < 60; i++) often.socket.send('{"type":"subscribe","topics":[]}');
    expect(await often.next('bye')).toMatchObject({ reason: 'too-many-messages' });
  });

  it('that do not read are dropped as slow, and cost no more than the buffer', async () => {
    const api = await start({ eventsMax: 256, limits: { streamBufferBytesMax: 64 * 1024, heartbeatMs: 50 } });
    const fast = read(api);
    await fast.next('state');
    const slow = connect(api.port, '127.0.0.1');
    slow.write(
      'GET /v1/stream HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    await new Promise((resolve) => slow.once('data', resolve));
    slow.pause();
    slow.on('error', () => {});
    const detail = 'x'.repeat(20_000);
    const peer = `0x${'11'.repeat(32)}`;
    let published = 0;
    const closed = new Promise<boolean>((resolve) => slow.once('close', () => resolve(true)));
    for (; published < 2_000; published++) {
      api.hub.publish('peer.lost', { peer, reason: detail });
      if (published % 100 === 99) await until(() => sequencesOf(fast).length > published);
    }
    // The fast reader has every event after hello and state, independent of the slow one.
    expect(sequencesOf(fast)).toHaveLength(published);
    const received: Buffer[] = [];
    slow.on('data', (data) => received.push(data));
    slow.resume();
    expect(await closed).toBe(true);
    expect(Buffer.concat(received).toString('latin1')).toContain('"reason":"slow"');
  });

  it('that open too many streams are rejected with 429', async () => {
    const api = await start({ limits: { streamsMax: 1, streamsPerAddressMax: 1 } });
    const reader = read(api);
    await reader.next('state');
    const second = await fetch(`${api.url}/v1/events`);
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('5');
    const third = read(api);
    expect((await third.closed).code).toBe(4429);
    reader.socket.close();
    await reader.closed;
    const again = read(api);
    await again.next('state');
  });

  it('whose page is of another origin are rejected', async () => {
    const api = await start({ originAllowList: ['https://ops.example'] });
    const handshake = (origin: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(api.port, '127.0.0.1', () =>
          socket.write(
            `GET /v1/stream HTTP/1.1\r\nhost: localhost:${api.port}\r\norigin: ${origin}\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
          ),
        );
        socket.once('data', (data) => {
          resolve(data.toString().split('\r\n')[0] ?? '');
          socket.destroy();
        });
      });
    expect(await handshake('https://evil.example')).toContain('400');
    expect(await handshake(`http://localhost:${api.port}`)).toContain('101');
    expect(await handshake('https://ops.example')).toContain('101');
  });
});

describe('server-sent events', () => {
  async function readEvents(api: RunningApi, headers: Record<string, string>, until: string): Promise<string> {
    const ended = new AbortController();
    const response = await fetch(`${api.url}/v1/events`, { headers, signal: ended.signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      text += decoder.decode(part, { stream: true });
      if (text.includes(until)) break;
    }
    ended.abort();
    return text;
  }

  it('carry the same messages, each with an id to resume with', async () => {
    const api = await start();
    for (let i = 0; i < 3; i++) api.hub.publish('wal.synced', synced(i));
    const all = await readEvents(api, {}, 'event: state');
    expect(all).toContain('event: hello\n');
    expect(all).toContain(`id: ${api.hub.run}:3\nevent: state\n`);
    const rest = await readEvents(api, { 'last-event-id': `${api.hub.run}:1` }, `id: ${api.hub.run}:3`);
    expect(rest).toContain(`id: ${api.hub.run}:2\nevent: event\n`);
    expect(rest).not.toContain('event: state');
  });
});
