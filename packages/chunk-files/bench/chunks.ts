/**
 * node packages/chunk-files/bench/chunks.ts [SECONDS [PACE [SIDES]]]: the same chunks at the same rate into LevelDB, into the chunk files,
 * and nowhere. One process each, all at once, so that other load affects them equally. Measured: CPU time of all threads (less that of
 * making the chunks), bytes written, and the wait for a block's chunks.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDisk, createRandom, openKeyValue } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { type KeptChunk, openChunkFiles } from '../src/index.ts';

/** 2,200 transactions per second: 2.5 blocks, four chunks each. */
const BLOCK_MS = 400;
const CHUNKS = 4;
const TRANSACTIONS = 220;
/** Shared by all transfers (the chain's hash and others); the rest is random. */
const ALIKE_BYTES = 60;
const TRANSACTION_BYTES = 210;
const SIDES = ['level', 'files', 'nowhere'] as const;
type Side = (typeof SIDES)[number];

interface Store {
  put(height: number, chunks: readonly KeptChunk[]): Promise<void>;
  close(): Promise<void>;
}

const [seconds = '60', pace = '1', sides = SIDES.join(), own] = process.argv.slice(2);

if (own === undefined) {
  const run = async (side: string) => {
    const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename, seconds, pace, side, 'own']);
    console.log(side.padEnd(8), stdout.trim());
  };
  await Promise.all(sides.split(',').map(run));
} else {
  console.log(JSON.stringify(await measure(sides as Side, Number(seconds), BLOCK_MS / Number(pace))));
}

async function openSide(side: Side, root: string): Promise<Store> {
  if (side === 'nowhere') return { put: async () => {}, close: async () => {} };
  const index = await openKeyValue({ location: join(root, 'chunks'), shared: true });
  if (side === 'level') {
    return {
      async put(_, chunks) {
        const puts = chunks.map(({ chunkId, bytes }) => ({ type: 'put' as const, key: chunkId, value: bytes }));
        await index.batch(puts, { sync: true });
      },
      close: () => index.close(),
    };
  }
  const components = { disk: createDisk({ root }), index, random: createRandom(), telemetry: silentTelemetry };
  return openChunkFiles(components, { directory: 'chunk-files', genesisHash: new Uint8Array(32) });
}

async function measure(side: Side, forSeconds: number, everyMs: number) {
  const root = await mkdtemp(join(tmpdir(), 'slipstream-chunks-bench-'));
  const store = await openSide(side, root);
  const patterns = Array.from({ length: 16 }, makeChunk);
  const waits: number[] = [];
  let makingMs = 0;
  const before = { processor: process.cpuUsage(), written: await writtenBytes() };
  const begunMs = performance.now() + (everyMs * SIDES.indexOf(side)) / SIDES.length;
  for (let height = 1; height * everyMs <= forSeconds * 1000; height++) {
    const waitMs = Math.max(0, begunMs + height * everyMs - performance.now());
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const made = process.threadCpuUsage();
    const first = height * CHUNKS;
    const chunks = Array.from({ length: CHUNKS }, (_, i) => freshChunk(patterns, first + i));
    makingMs += msOf(process.threadCpuUsage(made));
    const fromMs = performance.now();
    await store.put(height, chunks);
    waits.push(performance.now() - fromMs);
  }
  const processorMs = msOf(process.cpuUsage(before.processor)) - makingMs;
  const written = (await writtenBytes()) - before.written;
  await store.close();
  await rm(root, { recursive: true });
  waits.sort((a, b) => a - b);
  const at = (share: number) => round(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] as number);
  return {
    processorMsASecond: round(processorMs / forSeconds),
    writtenMB: round(written / 1e6),
    givenMB: round((waits.length * CHUNKS * TRANSACTIONS * TRANSACTION_BYTES) / 1e6),
    waitMs: { p50: at(0.5), p99: at(0.99), longest: at(1) },
  };
}

function makeChunk(): Uint8Array {
  const random = createRandom();
  const drawn = random.bytes(TRANSACTIONS * TRANSACTION_BYTES);
  return drawn.map((byte, at) => (at % TRANSACTION_BYTES < ALIKE_BYTES ? 7 : byte));
}

/** Varies one of a few random patterns, so that chunks differ. */
function freshChunk(patterns: readonly Uint8Array[], number: number): KeptChunk {
  const bytes = (patterns[number % patterns.length] as Uint8Array).slice();
  const mask = createHash('sha256').update(`${number}`).digest();
  for (let at = 0; at < bytes.length; at++) {
    if (at % TRANSACTION_BYTES >= ALIKE_BYTES) bytes[at] = (bytes[at] as number) ^ (mask[at & 31] as number);
  }
  return { chunkId: createHash('sha256').update(bytes).digest(), bytes };
}

function msOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

async function writtenBytes(): Promise<number> {
  const text = await readFile('/proc/self/io', 'utf8');
  return Number(/^write_bytes: (\d+)/m.exec(text)?.[1]);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
