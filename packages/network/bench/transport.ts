/**
 * The whole transport on loopback.
 *
 *   npx node packages/network/bench/transport.ts
 *
 * Two transports in one process: frames of 250 bytes in ticks of 50 (like votes), frames of 1 MB, round trips of a consensus frame while
 * the chunk lane is idle or full; medians of five runs.
 */
import { createTransport, type FrameLimit, type NetworkTransport } from '../src/index.ts';
import { createRecorder, realClock, realRandom } from '../test/cluster.ts';

const RUNS = 5;
const VOTE = 1;
const CHUNK = 2;
const ECHO = 3;
const SMALL_FRAMES = 50_000;
const PER_TICK = 50;
const SMALL_BYTES = 250;
const LARGE_FRAMES = 100;
const LARGE_BYTES = 1_000_000;
const ROUND_TRIPS = 1_000;

const frameLimits: ReadonlyMap<number, FrameLimit> = new Map([
  [VOTE, { lane: 'consensus', bytesMax: 1_000 }],
  [ECHO, { lane: 'consensus', bytesMax: 1_000 }],
  [CHUNK, { lane: 'chunk', bytesMax: 2_000_000 }],
]);
const unlimited = { bytesPerSecond: 1e12, framesPerSecond: 1e12, burstSeconds: 1 };
const tick = () => new Promise((resolve) => setImmediate(resolve));

async function startTransport(index: number): Promise<NetworkTransport> {
  const transport = createTransport(
    { clock: realClock, random: realRandom, telemetry: createRecorder() },
    {
      seed: new Uint8Array(32).fill(index),
      genesisHash: new Uint8Array(32),
      listen: ['127.0.0.1:0'],
      peers: [],
      admit: () => 'validator',
      frameLimits,
      quotas: { consensus: unlimited, chunk: unlimited },
      muxerQuota: unlimited,
    },
  );
  await transport.start();
  return transport;
}

const [a, b] = await Promise.all([startTransport(1), startTransport(2)]);
let received = 0;
let echoed: (() => void) | undefined;
b.onFrame((from, lane, frame) => {
  if (frame[0] === ECHO) b.send(from, lane, frame);
  else received++;
});
a.onFrame(() => echoed?.());
a.setPeers([{ peer: b.self, address: b.addresses()[0]?.split('/p2p/')[0] ?? '' }]);
while (!a.peers()[0]?.connected || !b.peers()[0]?.connected) await tick();

async function rate(kind: number, bytes: number, count: number, perTick: number): Promise<number> {
  const frame = new Uint8Array(bytes);
  frame[0] = kind;
  const lane = kind === CHUNK ? 'chunk' : 'consensus';
  const from = received;
  const startMs = performance.now();
  for (let sent = 0; sent < count; ) {
    for (let i = 0; i < perTick && sent < count; i++, sent++) a.send(b.self, lane, frame);
    while (sent - (received - from) > perTick * 20) await tick();
    await tick();
  }
  while (received < from + count) await tick();
  return count / ((performance.now() - startMs) / 1_000);
}

async function roundTrips(busy: boolean): Promise<{ p50: number; p99: number }> {
  let stopped = false;
  const filler = busy ? fill(() => stopped) : undefined;
  const samples: number[] = [];
  const ping = new Uint8Array(SMALL_BYTES);
  ping[0] = ECHO;
  for (let i = 0; i < (busy ? ROUND_TRIPS / 10 : ROUND_TRIPS); i++) {
    const startMs = performance.now();
    await new Promise<void>((resolve) => {
      echoed = resolve;
      a.send(b.self, 'consensus', ping);
    });
    samples.push(performance.now() - startMs);
  }
  stopped = true;
  await filler;
  samples.sort((x, y) => x - y);
  const at = (share: number) => samples[Math.floor(share * (samples.length - 1))] as number;
  return { p50: at(0.5), p99: at(0.99) };
}

async function fill(stopped: () => boolean): Promise<void> {
  const chunk = new Uint8Array(LARGE_BYTES);
  chunk[0] = CHUNK;
  while (!stopped()) {
    if ((a.peers()[0]?.queuedBytes ?? 0) < 4 * LARGE_BYTES) a.send(b.self, 'chunk', chunk);
    await tick();
  }
  while ((a.peers()[0]?.queuedBytes ?? 0) > 0) await tick();
}

const median = (values: number[]): number => values.sort((x, y) => x - y)[values.length >> 1] as number;
const small: number[] = [];
const large: number[] = [];
const idle: { p50: number; p99: number }[] = [];
const busy: { p50: number; p99: number }[] = [];
for (let run = 0; run < RUNS; run++) {
  small.push(await rate(VOTE, SMALL_BYTES, SMALL_FRAMES, PER_TICK));
  large.push(await rate(CHUNK, LARGE_BYTES, LARGE_FRAMES, 1));
  idle.push(await roundTrips(false));
  busy.push(await roundTrips(true));
}
console.table({
  transport: {
    'small/s': Math.round(median(small)),
    '1 MB/s': Math.round(median(large)),
    'round trip p50 ms': median(idle.map(({ p50 }) => p50)).toFixed(3),
    'p99 ms': median(idle.map(({ p99 }) => p99)).toFixed(3),
    'busy p50 ms': median(busy.map(({ p50 }) => p50)).toFixed(2),
    'busy p99 ms': median(busy.map(({ p99 }) => p99)).toFixed(2),
  },
});
await Promise.all([a.stop(), b.stop()]);
