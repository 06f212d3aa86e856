import { type Lane, type PeerKey, type PeerStatus, silentTelemetry } from '@slipstream/ports';
import { createRandom } from '@slipstream/simulator';
import { createCommittee, decodeFrame, encodeFrame, type SyncRequest } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { peerOf } from '../../consensus/test/core-world.ts';
import { createSyncClient, REQUESTS_WAITING_AT_SERVER_MAX } from '../src/requests/client.ts';
import { createSyncServer } from '../src/requests/server.ts';

const ALICE = peerOf(1);
const BOB = peerOf(2);

function newClient() {
  const sent: { readonly peer: PeerKey; readonly request: SyncRequest }[] = [];
  const timers = new Set<() => void>();
  const connected = new Set<PeerKey>([ALICE, BOB]);
  const client = createSyncClient({
    transport: {
      send(peer, _lane, frame) {
        const decoded = decodeFrame(frame);
        if (!decoded.ok || decoded.value.name !== 'syncRequest') throw new Error('a client sends requests');
        if (connected.has(peer)) sent.push({ peer, request: decoded.value.value });
        return connected.has(peer);
      },
    },
    clock: {
      wallMs: () => 0,
      monotonicMs: () => 0,
      after(_delayMs, action) {
        timers.add(action);
        return () => void timers.delete(action);
      },
    },
    random: createRandom(1),
    telemetry: silentTelemetry,
    onMalformed() {},
  });
  const answer = (at: number) => {
    const { peer, request } = sent[at] as (typeof sent)[number];
    const response = { requestId: request.requestId, blocks: [], certificates: [], chunks: [], more: false };
    client.onResponse(peer, encodeFrame('syncResponse', response));
  };
  return { client, sent, timers, connected, answer };
}

const chunk = (n: number) => ({ query: 'chunk', id: new Uint8Array(32).fill(n) }) as const;

it('never sends a peer more than it queues; the rest is sent as responses arrive', async () => {
  const { client, sent, answer } = newClient();
  const settled: number[] = [];
  for (let n = 0; n < 100; n++) void client.ask(ALICE, chunk(n)).then(() => settled.push(n));
  expect(sent).toHaveLength(REQUESTS_WAITING_AT_SERVER_MAX);
  for (let at = 0; at < 100; at++) answer(at);
  expect(sent.map(({ request }) => request.id[0])).toEqual(Array.from({ length: 100 }, (_, n) => n));
  await Promise.resolve();
  expect(settled).toHaveLength(100);
});

it('starts a timeout when a request is sent: queued requests do not time out', () => {
  const { client, timers } = newClient();
  for (let n = 0; n < 100; n++) void client.ask(ALICE, chunk(n));
  expect(timers.size).toBe(REQUESTS_WAITING_AT_SERVER_MAX);
});

it('sends ranges and blocks before queued chunks, with a queue for each peer', () => {
  const { client, sent, answer } = newClient();
  for (let n = 0; n < 20; n++) void client.ask(ALICE, chunk(n));
  void client.ask(ALICE, { query: 'finalized', from: 1, to: 9 });
  void client.ask(BOB, chunk(99));
  expect(sent.at(-1)?.peer).toBe(BOB);
  answer(0);
  expect(sent.at(-1)?.request.query).toBe('finalized');
});

it('drops cancelled requests before they are sent', async () => {
  const { client, sent, answer } = newClient();
  for (let n = 0; n < REQUESTS_WAITING_AT_SERVER_MAX; n++) void client.ask(ALICE, chunk(n));
  const gone = new AbortController();
  const answered = client.ask(ALICE, chunk(200), gone.signal);
  gone.abort();
  expect(await answered).toBeUndefined();
  answer(0);
  expect(sent).toHaveLength(REQUESTS_WAITING_AT_SERVER_MAX);
});

it('queries other peers however many requests wait for an unresponsive one', async () => {
  const { client, sent } = newClient();
  for (let n = 0; n < 3_000; n++) void client.ask(ALICE, { query: 'finalized', from: n, to: n });
  void client.ask(BOB, chunk(7));
  expect(sent.at(-1)).toMatchObject({ peer: BOB, request: { query: 'chunk' } });
  expect(await client.ask(ALICE, chunk(8))).toBeUndefined();
});

it('fails requests to a peer that is not connected at once, however long its queue', async () => {
  const { client, connected, timers } = newClient();
  connected.delete(ALICE);
  const answers = await Promise.all(Array.from({ length: 2_000 }, (_, n) => client.ask(ALICE, chunk(n % 256))));
  expect(answers.every((answer) => answer === undefined)).toBe(true);
  expect(timers.size).toBe(0);
});

it('settles all requests when it stops, also queued ones', async () => {
  const { client } = newClient();
  const answers = Array.from({ length: 50 }, (_, n) => client.ask(ALICE, chunk(n)));
  client.stop();
  expect(await Promise.all(answers)).toEqual(answers.map(() => undefined));
  expect(await client.ask(ALICE, chunk(1))).toBeUndefined();
});

/** Has every chunk; BOB's queue is long while `isFull`. */
function serverOf(world: {
  readonly isFull: () => boolean;
  readonly responses: Uint8Array[];
  readonly connected?: () => boolean;
  readonly timers?: (() => void)[];
  readonly count?: (name: string) => void;
  readonly members?: readonly PeerKey[];
  readonly followers?: readonly PeerKey[];
}) {
  const { isFull, responses, connected = () => true, timers = [], count = () => {}, members = [] } = world;
  const { followers = [BOB] } = world;
  const status = (peer: PeerKey) =>
    ({ peer, connected: connected(), queuedBytes: isFull() ? 5 * 1024 * 1024 : 0 }) as PeerStatus;
  const transport = {
    peers: () => followers.map(status),
    send(_to: PeerKey, _lane: Lane, frame: Uint8Array) {
      responses.push(frame);
      return true;
    },
  };
  return createSyncServer(
    {} as never,
    { chunkById: async () => new Uint8Array([1]) } as never,
    {
      transport,
      clock: {
        monotonicMs: () => 0,
        after(_ms, action) {
          timers.push(action);
          return () => {};
        },
      },
      telemetry: { ...silentTelemetry, count },
    },
    createCommittee(members.map((peerKey) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey }))),
  );
}

const turn = () => new Promise<void>((done) => setImmediate(done));

describe('a server', () => {
  const request = (n: number): SyncRequest => ({
    requestId: n,
    query: 'chunk',
    id: new Uint8Array(32),
    from: 0,
    to: 0,
  });

  it('prepares no response for a follower that reads none, and continues when it reads', async () => {
    const world = { isFull: () => full, responses: [] as Uint8Array[], timers: [] as (() => void)[] };
    let full = true;
    const server = serverOf(world);
    for (let n = 0; n < 3; n++) server.onRequest(BOB, request(n));
    await turn();
    expect(world.responses).toHaveLength(0);
    full = false;
    for (const action of world.timers.splice(0)) action();
    await turn();
    expect(world.responses).toHaveLength(3);
  });

  it('tracks any number of followers that read nothing at the same time', async () => {
    const followers = Array.from({ length: 100 }, (_, n) => n.toString(16).padStart(64, '0') as PeerKey);
    const world = { isFull: () => full, followers, responses: [] as Uint8Array[], timers: [] as (() => void)[] };
    let full = true;
    const server = serverOf(world);
    for (const follower of followers) server.onRequest(follower, request(1));
    for (let looks = 0; looks < 3; looks++) {
      await turn();
      expect(world.timers).toHaveLength(1);
      for (const action of world.timers.splice(0)) action();
    }
    full = false;
    for (const action of world.timers.splice(0)) action();
    await turn();
    expect(world.responses).toHaveLength(100);
    expect(world.timers).toHaveLength(0);
  });

  it('drops the queries of a disconnected follower, and answers it when it is connected again', async () => {
    const world = {
      isFull: () => full,
      connected: () => there,
      responses: [] as Uint8Array[],
      timers: [] as (() => void)[],
    };
    let [full, there] = [true, true];
    const server = serverOf(world);
    for (let n = 0; n < 3; n++) server.onRequest(BOB, request(n));
    there = false;
    for (const action of world.timers.splice(0)) action();
    await turn();
    [full, there] = [false, true];
    server.onRequest(BOB, request(3));
    await turn();
    expect(world.responses).toHaveLength(1);
  });

  it('answers a member, whatever its send queue', async () => {
    const responses: Uint8Array[] = [];
    const server = serverOf({ isFull: () => true, responses, members: [BOB] });
    server.onRequest(BOB, request(1));
    await turn();
    expect(responses).toHaveLength(1);
  });
});

it('gets a response to every query: the server drops none of a client', async () => {
  const refused: string[] = [];
  const responses: Uint8Array[] = [];
  const { client, sent } = newClient();
  const server = serverOf({ isFull: () => false, responses, count: (name) => void refused.push(name) });
  const answers = Array.from({ length: 300 }, (_, n) => client.ask(ALICE, chunk(n % 256)));
  for (let at = 0; at < 300; ) {
    const request = sent[at];
    if (request !== undefined) {
      server.onRequest(BOB, request.request);
      at += 1;
    }
    await turn();
    for (const frame of responses.splice(0)) client.onResponse(ALICE, frame);
  }
  for (const answer of await Promise.all(answers)) expect(answer?.chunks).toHaveLength(1);
  expect(refused).toEqual([]);
});
