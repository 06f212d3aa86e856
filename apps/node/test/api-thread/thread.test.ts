import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { createClient } from '@slipstream/client';
import { openLedger } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { openKeyValue } from '@slipstream/platform';
import { type KeyValue, silentTelemetry } from '@slipstream/ports';
import type { Stats, StreamEvent } from '@slipstream/schema';
import { asId, type BlockId, type Evidence, GENESIS_EPOCH, genesisHashOf, type Vote, view } from '@slipstream/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { statusOf } from '../../../../packages/api/test/fake-node.ts';
import { genesis } from '../../../../packages/client/test/real-chain.ts';
import { NO_STATS } from '../../../../packages/schema/test/full-stats.ts';
import { type ApiThread, startApiThread } from '../../src/api-thread/api.ts';
import type { NodeLink } from '../../src/api-thread/node-link.ts';

let folder: string;
let ledgerHere: KeyValue;
const stops: (() => Promise<unknown> | unknown)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'api-thread-'));
  await mkdir(folder, { recursive: true });
  ledgerHere = await openKeyValue({ location: join(folder, DATA.ledger), shared: true });
  await openLedger({ keyValue: ledgerHere, telemetry: silentTelemetry }, { genesisHash: genesisHashOf(genesis) });
  stops.push(() => rm(folder, { recursive: true, force: true }));
  stops.push(() => ledgerHere.close());
});
afterEach(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

function vote(fill: number): Vote {
  const blockId = asId<BlockId>(new Uint8Array(32).fill(fill));
  return {
    subject: { kind: 'finalize', epoch: GENESIS_EPOCH, view: view(3), blockId },
    signer: 2,
    signature: new Uint8Array(192),
  };
}

const EVIDENCE: Evidence = { type: 'votes', offender: 2, first: vote(1), second: vote(2) };

let failures: Error[] = [];
/** The executor's end of state reads. */
let executorEnd: MessagePort;
/** Time of the main thread's events, whenever they arrive. */
const NOW_MS = 1_790_000_000_123;

function startThread(port = 0): ApiThread {
  failures = [];
  const thread = startApiThread(
    {
      clock: { wallMs: () => NOW_MS },
      telemetry: silentTelemetry,
      fail: (error) => failures.push(error as Error),
    },
    {
      folder,
      genesis,
      genesisHash: genesisHashOf(genesis),
      applications: [],
      accepted: [],
      committeeCertificate: undefined,
      fleet: [],
      tracedOneIn: 0,
      profilesTurns: false,
      broker: undefined,
      faucetSecret: undefined,
      lies: false,
      options: { port, admin: { token: 'secret' } },
    },
  );
  stops.push(() => thread.stop());
  return thread;
}

/** As an assembled node opens it, with a new executor. */
function open(thread: ApiThread, height: number) {
  const { port1, port2 } = new MessageChannel();
  stops.push(() => port1.close());
  executorEnd = port1;
  return thread.open(link, port2, { height, applications: [], accepted: [] });
}

const link: NodeLink = {
  submitMany: async (transactions) =>
    transactions.map(() => ({
      type: 'rejected',
      reason: 'pool-full',
      message: 'full',
      id: undefined,
      retryAfterMs: 700,
    })),
  pooled: async () => ({ status: 'unknown' }),
  status: async () => statusOf(genesis, 7),
  peers: async () => [],
  metrics: async () => 'slipstream_main_gauge 1\n',
  blockPeer: async () => ({ type: 'unknown' }),
  unblockPeer: async () => ({ type: 'unknown' }),
  artifacts: async () => [],
  acceptArtifact: async () => ({ type: 'unknown' }),
  quarantine: async () => [],
  quarantineAction: async () => ({ type: 'unknown' }),
  liftQuarantine: async () => ({ type: 'unknown' }),
  logLevel: async () => 'info',
  setLogLevel: async () => {},
  checkLogin: async () => false,
  sumShares: async () => ({ aggregate: undefined, good: [] }),
  checkStragglers: async () => [],
  offerBatch: async () => ({ type: 'accepted' }),
  finish() {},
};

const SUMMARY: Stats = { ...NO_STATS, height: 7, finalHeight: 7, certifiedHeight: 7, view: 7 };

describe('the API thread', () => {
  it('answers for the node, streams its events, and serves the metrics of both threads', async () => {
    const thread = startThread();
    const { url } = await open(thread, 7);
    const client = createClient({ url });
    expect(await client.status()).toMatchObject({ height: 7, draining: false });
    await expect(client.submit(new Uint8Array([1]))).rejects.toMatchObject({ code: 'overloaded' });
    const seen: StreamEvent[] = [];
    const live = Promise.withResolvers<void>();
    const received = Promise.withResolvers<void>();
    const stream = client.events({
      onState: () => live.resolve(),
      onEvent(event) {
        seen.push(event);
        received.resolve();
      },
    });
    await live.promise;
    thread.publish('wal.synced', { ms: 1, bytes: 2 });
    await received.promise;
    expect(seen.map(({ event }) => event)).toEqual([{ type: 'wal.synced', data: { ms: 1, bytes: 2 } }]);
    expect(seen[0]?.atMs).toBe(NOW_MS);
    stream.close();
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('slipstream_main_gauge 1');
    expect(metrics).toContain('slipstream_api_requests_total{');
    expect(failures).toEqual([]);
  });

  it('answers status, and refuses other reads and submissions, while the stores are exchanged; then reads the new ones', async () => {
    const thread = startThread();
    const { url } = await open(thread, 7);
    const statusOfPath = async (path: string) => (await fetch(`${url}/v1/${path}`)).status;
    expect(await statusOfPath('evidence')).toBe(200);
    await thread.pause();
    const client = createClient({ url });
    expect(await client.status()).toMatchObject({ height: 7, ready: false, syncing: true });
    for (const path of ['evidence', 'blocks/1', `accounts/0x01${'11'.repeat(32)}`]) {
      const refused = await fetch(`${url}/v1/${path}`);
      expect({ path, status: refused.status }).toEqual({ path, status: 503 });
      expect(await refused.json()).toMatchObject({ code: 'not-ready', detail: expect.stringContaining('newer state') });
    }
    await expect(client.submit(new Uint8Array([1]))).rejects.toMatchObject({ code: 'not-ready' });

    const keyValue = await openKeyValue({ location: join(folder, 'other'), shared: true });
    const chain = { genesisHash: genesisHashOf(genesis) };
    const ledger = await openLedger({ keyValue, telemetry: silentTelemetry }, chain);
    await ledger.putEvidence(EVIDENCE);
    await ledger.close();
    await ledgerHere.close();
    await rename(join(folder, DATA.ledger), join(folder, 'before'));
    await rename(join(folder, 'other'), join(folder, DATA.ledger));
    expect((await open(thread, 9)).url).toBe(url);
    const { items } = (await (await fetch(`${url}/v1/evidence`)).json()) as { readonly items: readonly unknown[] };
    expect(items).toHaveLength(1);
    expect(await client.status()).toMatchObject({ ready: true });
    expect(failures).toEqual([]);
  });

  it('adds the drain state, which the main thread does not know, to each summary', async () => {
    const thread = startThread();
    const { url } = await open(thread, 0);
    const summaries: Stats[] = [];
    const live = Promise.withResolvers<void>();
    const client = createClient({ url, token: 'secret' });
    const stream = client.events({
      topics: ['stats'],
      onState: () => live.resolve(),
      onEvent({ event }) {
        if (event.type === 'stats') summaries.push(event.data);
      },
    });
    await live.promise;
    thread.publish('stats', SUMMARY);
    await expect.poll(() => summaries.length).toBe(1);
    await client.drain({ stop: false });
    thread.publish('stats', SUMMARY);
    await expect.poll(() => summaries.length).toBe(2);
    stream.close();
    expect(summaries.map(({ ready, draining }) => [ready, draining])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('names the port that is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    stops.push(() => new Promise((done) => taken.close(done)));
    await new Promise((done) => taken.once('listening', done));
    const thread = startThread((taken.address() as AddressInfo).port);
    await expect(open(thread, 0)).rejects.toMatchObject({ code: 'port-in-use' });
  });

  it('accepts no client after its stop', async () => {
    const thread = startThread();
    const { url } = await open(thread, 0);
    await thread.stop();
    await expect(createClient({ url }).status()).rejects.toMatchObject({ code: 'network' });
    expect(failures).toEqual([]);
  });

  it('streams events published in the turn of the stop: why a node stops', async () => {
    const thread = startThread();
    const { url } = await open(thread, 0);
    const seen: StreamEvent['event'][] = [];
    const live = Promise.withResolvers<void>();
    const lost = Promise.withResolvers<void>();
    const stream = createClient({ url }).events({
      onState: () => live.resolve(),
      onEvent: ({ event }) => void seen.push(event),
      onConnection: ({ type }) => type === 'lost' && lost.resolve(),
    });
    await live.promise;
    thread.publish('alert.cleared', { rule: 'behind', afterMs: 7 });
    await thread.stop();
    await lost.promise;
    stream.close();
    expect(seen).toEqual([{ type: 'alert.cleared', data: { rule: 'behind', afterMs: 7 } }]);
  });

  it('fails the node when it dies, with its name, and settles pending calls', async () => {
    const thread = startThread();
    await open(thread, 0);
    executorEnd.postMessage(['fault', { kind: 'other', code: 'unexpected', message: 'the executor cannot go on' }]);
    while (failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(failures[0]).toMatchObject({ code: 'node-failed' });
    expect(failures[0]?.message).toContain('the api thread failed');
    await thread.stop();
    expect(failures).toHaveLength(1);
  });
});
