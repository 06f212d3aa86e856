/**
 * yamux against mplex, on loopback, with the transport's TCP and Noise.
 *
 *   npx node packages/network/bench/muxer.ts
 *
 * Two nodes in one process: small frames one by one and coalesced, frames of 1 MB, round trips on one stream while another is idle or full;
 * medians of five runs. Also an unread stream.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { noise } from '@chainsafe/libp2p-noise';
import { yamux } from '@chainsafe/libp2p-yamux';
import type { Libp2p, Stream, StreamMuxerFactory } from '@libp2p/interface';
import { mplex } from '@libp2p/mplex';
import { tcp } from '@libp2p/tcp';
import { createLibp2p } from 'libp2p';
import { silentLogger } from '../src/libp2p-log.ts';
import { boundedYamux } from '../src/muxer.ts';
import { realClock } from '../test/cluster.ts';

const RUNS = 5;
const SMALL_FRAMES = 20_000;
const SMALL_BYTES = 250;
const WRITE_BYTES = 64 * 1024;
const LARGE_BYTES = 1_000_000;
const LARGE_FRAMES = 100;
const ROUND_TRIPS = 2_000;
const UNREAD_BYTES = 64_000_000;
const STUCK_MS = 500;
const UNMETERED = { bytesPerSecond: 1e12, framesPerSecond: 1e12, burstSeconds: 1 };

const MUXERS: Readonly<Record<string, () => () => StreamMuxerFactory>> = {
  'yamux, default': () => () => yamux({ enableKeepAlive: false })(),
  'yamux, bounded (ours)': () => boundedYamux({ clock: realClock, throttled() {} }, UNMETERED),
  mplex: () => () => mplex()(),
};

interface Pair {
  open(protocol: 'sink' | 'echo' | 'unread'): Promise<Stream>;
  received(): number;
  stop(): Promise<void>;
}

async function createPair(muxer: () => StreamMuxerFactory): Promise<Pair> {
  const create = (listen: string[]): Promise<Libp2p> =>
    createLibp2p({
      logger: silentLogger,
      addresses: { listen },
      transports: [tcp()],
      connectionEncrypters: [noise()],
      streamMuxers: [muxer],
      connectionMonitor: { enabled: false },
    });
  const [server, client] = await Promise.all([create(['/ip4/127.0.0.1/tcp/0']), create([])]);
  let received = 0;
  await server.handle('/sink', (stream) => {
    stream.addEventListener('message', (event) => {
      received += event.data.byteLength;
    });
  });
  await server.handle('/echo', (stream) => {
    stream.addEventListener('message', (event) => {
      stream.send(event.data);
    });
  });
  await server.handle('/unread', (stream) => stream.pause());
  const connection = await client.dial(server.getMultiaddrs());
  return {
    open: (protocol) => connection.newStream(`/${protocol}`),
    received: () => received,
    stop: async () => {
      await Promise.all([client.stop(), server.stop()]);
    },
  };
}

/** By event: the stream's own onDrain resolves at once after the first time (libp2p 3.3). */
function drained(stream: Stream): Promise<void> {
  if (!stream.writableNeedsDrain) return Promise.resolve();
  return new Promise((resolve) => {
    stream.addEventListener('drain', () => resolve(), { once: true });
    stream.addEventListener('close', () => resolve(), { once: true });
  });
}

/** Received per second. */
async function rate(pair: Pair, bytes: number, count: number): Promise<number> {
  const stream = await pair.open('sink');
  const data = new Uint8Array(bytes).fill(1);
  const from = pair.received();
  const startMs = performance.now();
  for (let i = 0; i < count; i++) {
    for (let at = 0; at < bytes; at += WRITE_BYTES) {
      if (!stream.send(data.subarray(at, at + WRITE_BYTES))) await drained(stream);
    }
  }
  while (pair.received() < from + bytes * count) await new Promise((resolve) => setImmediate(resolve));
  const perSecond = count / ((performance.now() - startMs) / 1_000);
  return perSecond;
}

async function roundTrips(pair: Pair, busy: boolean): Promise<{ p50: number; p99: number }> {
  const stream = await pair.open('echo');
  let stopped = false;
  const filler = busy ? fill(pair, () => stopped) : undefined;
  const samples: number[] = [];
  const ping = new Uint8Array(SMALL_BYTES);
  for (let i = 0; i < (busy ? ROUND_TRIPS / 10 : ROUND_TRIPS); i++) {
    const startMs = performance.now();
    let missing = ping.length;
    await new Promise<void>((resolve) => {
      stream.addEventListener('message', function listen(event) {
        missing -= event.data.byteLength;
        if (missing > 0) return;
        stream.removeEventListener('message', listen);
        resolve();
      });
      stream.send(ping);
    });
    samples.push(performance.now() - startMs);
  }
  stopped = true;
  await filler;
  samples.sort((a, b) => a - b);
  const at = (share: number) => samples[Math.floor(share * (samples.length - 1))] as number;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Keeps another stream full, like chunks while votes pass. */
async function fill(pair: Pair, stopped: () => boolean): Promise<void> {
  const stream = await pair.open('sink');
  const data = new Uint8Array(WRITE_BYTES);
  while (!stopped()) {
    if (!stream.send(data)) await drained(stream);
    else await new Promise((resolve) => setImmediate(resolve));
  }
}

async function writeUnread(pair: Pair): Promise<string> {
  const stream = await pair.open('unread');
  const data = new Uint8Array(WRITE_BYTES);
  let written = 0;
  while (stream.status === 'open' && written < UNREAD_BYTES) {
    if (stream.send(data)) {
      written += data.length;
      continue;
    }
    const waited = await Promise.race([drained(stream), sleep(STUCK_MS, 'stuck', { ref: false })]);
    if (waited === 'stuck' && stream.status === 'open') return `waits after ${(written / 1e6).toFixed(1)} MB`;
  }
  return `${stream.status} after ${(written / 1e6).toFixed(1)} MB`;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] as number;

async function measure(muxer: () => StreamMuxerFactory) {
  const small: number[] = [];
  const coalesced: number[] = [];
  const large: number[] = [];
  const idle: { p50: number; p99: number }[] = [];
  const busy: { p50: number; p99: number }[] = [];
  /** A new connection each: mplex ends one whose streams were reset with data on the way. */
  async function fresh<T>(measurement: (pair: Pair) => Promise<T>): Promise<T> {
    const pair = await createPair(muxer);
    try {
      return await measurement(pair);
    } finally {
      await pair.stop();
    }
  }
  const perWrite = Math.floor(WRITE_BYTES / SMALL_BYTES);
  for (let run = 0; run < RUNS; run++) {
    small.push(await fresh((pair) => rate(pair, SMALL_BYTES, SMALL_FRAMES)));
    const writes = await fresh((pair) => rate(pair, perWrite * SMALL_BYTES, Math.ceil(SMALL_FRAMES / perWrite)));
    coalesced.push(perWrite * writes);
    large.push(await fresh((pair) => rate(pair, LARGE_BYTES, LARGE_FRAMES)));
    idle.push(await fresh((pair) => roundTrips(pair, false)));
    busy.push(await fresh((pair) => roundTrips(pair, true)));
  }
  return {
    'small/s': Math.round(median(small)),
    'small, coalesced/s': Math.round(median(coalesced)),
    '1 MB/s': Math.round(median(large)),
    'round trip p50 ms': median(idle.map(({ p50 }) => p50)).toFixed(3),
    'p99 ms': median(idle.map(({ p99 }) => p99)).toFixed(3),
    'busy p50 ms': median(busy.map(({ p50 }) => p50)).toFixed(2),
    'busy p99 ms': median(busy.map(({ p99 }) => p99)).toFixed(2),
    'a stream nobody reads': await fresh(writeUnread),
  };
}

const table: Record<string, unknown> = {};
for (const [name, muxer] of Object.entries(MUXERS)) table[name] = await measure(muxer());
console.table(table);
