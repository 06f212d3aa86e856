import type { DrainState, FleetNode, StreamMessage } from '@slipstream/schema';
import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, type RunningApi, startApi } from './running-api.ts';

const authorization = `Bearer ${ADMIN_TOKEN}`;

function post({ url }: RunningApi, path: string, body: unknown, headers: Record<string, string> = { authorization }) {
  const json = { 'content-type': 'application/json', ...headers };
  return fetch(`${url}${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('the admin routes', () => {
  it('set and return the log level, and reject an unknown one', async () => {
    const api = await startApi();
    expect(await (await post(api, '/v1/admin/log-level', { level: 'debug' })).json()).toEqual({ level: 'debug' });
    const read = await fetch(`${api.url}/v1/admin/log-level`, { headers: { authorization } });
    expect(await read.json()).toEqual({ level: 'debug' });
    expect((await post(api, '/v1/admin/log-level', { level: 'loud' })).status).toBe(400);
  });

  it('start and end a drain, with a body or without', async () => {
    const api = await startApi();
    const drained = (await (await post(api, '/v1/admin/drain', { stop: true, deadlineMs: 5 })).json()) as DrainState;
    expect(drained).toMatchObject({ draining: true, stops: true, deadlineMs: 5 });
    const bare = await fetch(`${api.url}/v1/admin/drain`, { method: 'POST', headers: { authorization } });
    expect(await bare.json()).toMatchObject({ draining: true, stops: false });
    expect(await (await post(api, '/v1/admin/undrain', {})).json()).toMatchObject({ draining: false });
  });

  it('record every operator action and every rejection, but no read', async () => {
    const api = await startApi();
    await post(api, '/v1/admin/log-level', { level: 'warn' });
    await fetch(`${api.url}/v1/admin/drain`, { headers: { authorization } });
    await post(api, '/v1/admin/drain', {}, {});
    const audit = await fetch(`${api.url}/v1/admin/audit`, { headers: { authorization } });
    const { items } = (await audit.json()) as { items: readonly { act: string; outcome: string; detail: string }[] };
    expect(items.map(({ act, outcome }) => [act, outcome])).toEqual([
      ['drain', 'unauthorized'],
      ['set-log-level', 'done'],
    ]);
    expect(items[1]).toMatchObject({ detail: 'warn', address: '127.0.0.1' });
  });
});

function memberAt(url: string, name = 'other'): FleetNode {
  const nothing = { lastMessageMs: null, detail: null, status: null, stats: null };
  return { name, url, state: 'connecting', sinceMs: 1, ...nothing };
}

interface Reader {
  readonly socket: WebSocket;
  readonly messages: StreamMessage[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

function read({ url }: RunningApi, node: string, query = ''): Reader {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/fleet/${node}/stream${query}`);
  const messages: StreamMessage[] = [];
  socket.onmessage = ({ data }) => messages.push(JSON.parse(data as string) as StreamMessage);
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.onclose = ({ code, reason }) => resolve({ code, reason });
  });
  socket.onerror = () => {};
  return { socket, messages, closed };
}

describe('the record of operator actions', () => {
  it('keeps its entries when unauthorized requests come: it holds a few of these and their count', async () => {
    let nowMs = 1_000_000;
    const api = await startApi({ wallMs: () => nowMs });
    for (let i = 0; i < 25; i++) await post(api, '/v1/admin/drain', {}, {});
    await post(api, '/v1/admin/log-level', { level: 'warn' });
    expect(api.audited.map(({ outcome }) => outcome)).toEqual(['done', ...Array(10).fill('unauthorized')]);
    nowMs += 60_000;
    await post(api, '/v1/admin/drain', {}, {});
    expect(api.audited[0]?.detail).toBe('15 more were refused before it and are not recorded');
    expect(api.audited).toHaveLength(12);
  });
});

describe('the fleet', () => {
  it('is listed, and is part of the state in the event stream', async () => {
    const nodes = [memberAt('http://127.0.0.1:1')];
    const api = await startApi({ fleet: { nodes: () => nodes } });
    const answer = await fetch(`${api.url}/v1/fleet`);
    expect(await answer.json()).toEqual({ items: nodes });
    const socket = new WebSocket(`${api.url.replace('http', 'ws')}/v1/stream`);
    const messages: StreamMessage[] = [];
    socket.onmessage = ({ data }) => messages.push(JSON.parse(data as string) as StreamMessage);
    await until(() => messages.some(({ type }) => type === 'state'));
    expect(messages.find((message) => message.type === 'state')).toMatchObject({ state: { fleet: nodes } });
    socket.close();
  });

  it('relays the stream of a node unchanged: state, events, topic filters, resume', async () => {
    const other = await startApi();
    const api = await startApi({ fleet: { nodes: () => [memberAt(other.url)] } });
    const reader = read(api, 'other');
    await until(() => reader.messages.length === 2);
    expect(reader.messages.map(({ type }) => type)).toEqual(['hello', 'state']);
    expect(reader.messages[0]).toMatchObject({ run: other.hub.run });
    reader.socket.send(JSON.stringify({ type: 'subscribe', topics: ['storage'] }));
    await until(() => reader.messages.length === 3);
    other.node.commit();
    other.hub.publish('wal.synced', { ms: 1, bytes: 2 });
    await until(() => reader.messages.length === 4);
    expect(reader.messages[3]).toMatchObject({ sequence: 2, event: { type: 'wal.synced' } });
    const resumed = read(api, 'other', `?resume=${other.hub.run}:1`);
    await until(() => resumed.messages.length === 2);
    expect(resumed.messages[0]).toMatchObject({ type: 'hello', resumed: true });
    expect(resumed.messages[1]).toMatchObject({ type: 'event', sequence: 2 });
  });

  it('sends bye with reason upstream when the node is unreachable or disconnects', async () => {
    const other = await startApi();
    const nodes = [memberAt(other.url), memberAt('http://127.0.0.1:1', 'nobody')];
    const api = await startApi({ fleet: { nodes: () => nodes } });
    expect(await read(api, 'nobody').closed).toMatchObject({ code: 4502 });
    const reader = read(api, 'other');
    await until(() => reader.messages.length === 2);
    await other.stop();
    expect((await reader.closed).code).toBe(4502);
    expect(reader.messages.at(-1)?.type).toBe('bye');
  });

  it('drops a reader that is slower than the node', async () => {
    const other = await startApi();
    const limits = { relayBufferBytesMax: -1 }; // any unsent byte is too much
    const api = await startApi({ limits, fleet: { nodes: () => [memberAt(other.url)] } });
    expect((await read(api, 'other').closed).code).toBe(4008);
  });

  it('rejects unknown node names, foreign origins and malformed messages', async () => {
    const other = await startApi();
    const api = await startApi({ fleet: { nodes: () => [memberAt(other.url)] } });
    const unknown = await fetch(`${api.url}/v1/fleet/stranger/stream`);
    expect(await unknown.json()).toMatchObject({ code: 'fleet-node-unknown', status: 404 });
    const foreign = await fetch(`${api.url}/v1/fleet/other/stream`, { headers: { origin: 'https://evil.example' } });
    expect(await foreign.json()).toMatchObject({ code: 'origin-not-allowed' });
    const reader = read(api, 'other');
    await until(() => reader.messages.length === 2);
    reader.socket.send('{"type":"shutdown"}');
    expect((await reader.closed).code).toBe(4400);
  });
});
