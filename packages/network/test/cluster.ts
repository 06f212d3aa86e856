/** Real transports on loopback, with recorded frames, events and counters. */

import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Lane, PeerEvent, PeerKey, Random, Telemetry } from '@slipstream/ports';
import { LANES } from '@slipstream/ports';
import {
  createTransport,
  type FrameLimit,
  identityFromSeed,
  type NetworkTransport,
  type TransportOptions,
} from '../src/index.ts';

export const realClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
};

export const realRandom: Random = {
  bytes: (length) => new Uint8Array(randomBytes(length)),
  below: (bound) => randomInt(bound),
  unit: () => Math.random(),
};

export interface Recorder extends Telemetry {
  readonly counts: ReadonlyMap<string, number>;
  readonly events: readonly { readonly type: string; readonly fields: Readonly<Record<string, unknown>> }[];
  readonly logs: readonly { readonly level: string; readonly message: string }[];
}

export function createRecorder(): Recorder {
  const counts = new Map<string, number>();
  const events: { type: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const logs: { level: string; message: string }[] = [];
  return {
    counts,
    events,
    logs,
    event: (type, fields) => events.push({ type, fields }),
    count(name, by = 1, labels = {}) {
      const key = [name, ...Object.values(labels)].join(' ');
      counts.set(key, (counts.get(key) ?? 0) + by);
    },
    gauge() {},
    observe() {},
    log: (level, message) => logs.push({ level, message }),
  };
}

/** One a lane, each up to 3 MB. */
export const KIND: Readonly<Record<Lane, number>> = { consensus: 1, proposal: 2, chunk: 3, transaction: 4, sync: 5 };
export const FRAME_BYTES_MAX = 3_000_000;
export const frameLimits: ReadonlyMap<number, FrameLimit> = new Map(
  LANES.map((lane) => [KIND[lane], { lane, bytesMax: FRAME_BYTES_MAX }]),
);

export const genesisHash = new Uint8Array(32).fill(7);

export function seedOf(index: number): Uint8Array {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setUint32(0, index + 1);
  return seed;
}
export const keyOf = (index: number): PeerKey => identityFromSeed(seedOf(index)).peer;

/** Kind byte, number, zeros up to `length`. */
export function frameOf(lane: Lane, number: number, length = 5): Uint8Array {
  const frame = new Uint8Array(length);
  frame[0] = KIND[lane];
  new DataView(frame.buffer).setUint32(1, number);
  return frame;
}
export const numberOf = (frame: Uint8Array): number => new DataView(frame.buffer, frame.byteOffset).getUint32(1);

export interface Node {
  readonly key: PeerKey;
  readonly transport: NetworkTransport;
  readonly frames: { readonly from: PeerKey; readonly lane: Lane; readonly frame: Uint8Array }[];
  readonly events: PeerEvent[];
  readonly telemetry: Recorder;
  readonly address: string;
  connected(): number;
}

const running = new Set<NetworkTransport>();

/** On a free port. By default it admits every peer and dials none. */
export async function startNode(index: number, options: Partial<TransportOptions> = {}): Promise<Node> {
  const telemetry = createRecorder();
  const transport = createTransport(
    { clock: realClock, random: realRandom, telemetry },
    {
      seed: seedOf(index),
      genesisHash,
      listen: ['127.0.0.1:0'],
      peers: [],
      admit: () => 'validator',
      frameLimits,
      ...options,
    },
  );
  const frames: Node['frames'] = [];
  const events: PeerEvent[] = [];
  transport.onFrame((from, lane, frame) => frames.push({ from, lane, frame }));
  transport.onPeer((event) => events.push(event));
  running.add(transport);
  await transport.start();
  const connected = () => transport.peers().filter((peer) => peer.connected).length;
  const address = transport.addresses()[0] ?? '';
  return {
    key: transport.self,
    transport,
    frames,
    events,
    telemetry,
    address: address.split('/p2p/')[0] ?? '',
    connected,
  };
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((transport) => transport.stop()));
  running.clear();
}

/** The test's time limit ends a wait without result. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

/** The first dials. */
export async function connect(from: Node, to: Node): Promise<void> {
  from.transport.setPeers([{ peer: to.key, address: to.address }]);
  await until(() => isConnected(from, to.key) && isConnected(to, from.key));
}

export function isConnected(node: Node, peer: PeerKey): boolean {
  return node.transport.peers().some((status) => status.peer === peer && status.connected);
}

export function statusOf(node: Node, peer: PeerKey) {
  return node.transport.peers().find((status) => status.peer === peer);
}
