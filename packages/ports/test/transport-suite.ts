/** Compliance suite for every Transport: the simulated network here, libp2p in packages/network. */
import { afterEach, describe, expect, test } from 'vitest';
import { LANES, type Lane, type PeerEvent, type PeerKey, type Transport } from '../src/index.ts';

export interface TransportPair {
  /** Two transports that admit each other; neither is started. */
  readonly a: Transport;
  readonly b: Transport;
  /** Runs the network until the condition holds; rejects when it never does. */
  until(condition: () => boolean): Promise<void>;
  /** Runs the network until all that was sent has arrived. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

interface Received {
  readonly from: PeerKey;
  readonly lane: Lane;
  readonly frame: Uint8Array;
}

interface Side {
  readonly transport: Transport;
  readonly receivedFrames: Received[];
  readonly events: PeerEvent[];
}

export function describeTransport(name: string, createPair: () => Promise<TransportPair>): void {
  describe(`${name}: transport`, () => {
    let pair: TransportPair | undefined;

    afterEach(async () => {
      await pair?.stop();
      pair = undefined;
    });

    async function connected() {
      pair = await createPair();
      const { a, b, until } = pair;
      const [one, other] = [listen(a), listen(b)];
      await Promise.all([a.start(), b.start()]);
      await until(() => isConnected(a, b) && isConnected(b, a));
      return { a, b, one, other, pair };
    }

    test('reports the connection on both sides, each peer by its key', async () => {
      const { a, b, one, other, pair } = await connected();
      await pair.until(() => one.events.length > 0 && other.events.length > 0);
      expect(a.self).not.toBe(b.self);
      expect(a.self).toMatch(/^[0-9a-f]{64}$/);
      expect(one.events[0]).toEqual({ type: 'connected', peer: b.self });
      expect(other.events[0]).toEqual({ type: 'connected', peer: a.self });
    });

    test('delivers frames of every lane, with their sender', async () => {
      const { a, b, other, pair } = await connected();
      for (const [i, lane] of LANES.entries()) expect(a.send(b.self, lane, frameOf(i))).toBe(true);
      await pair.until(() => other.receivedFrames.length === LANES.length);
      const sorted = [...other.receivedFrames].sort((x, y) => numberOf(x.frame) - numberOf(y.frame));
      expect(sorted.map(({ from, lane }) => [from, lane])).toEqual(LANES.map((lane) => [a.self, lane]));
    });

    test('keeps the order of a lane, both ways at once', async () => {
      const { a, b, one, other, pair } = await connected();
      for (let i = 0; i < 300; i++) {
        a.send(b.self, LANES[i % 2] as Lane, frameOf(i));
        b.send(a.self, LANES[i % 2] as Lane, frameOf(i));
      }
      await pair.until(() => one.receivedFrames.length === 300 && other.receivedFrames.length === 300);
      for (const { receivedFrames } of [one, other]) {
        for (const lane of LANES.slice(0, 2)) {
          const numbers = receivedFrames.filter((each) => each.lane === lane).map(({ frame }) => numberOf(frame));
          expect(numbers).toEqual([...numbers].sort((x, y) => x - y));
          expect(numbers).toHaveLength(150);
        }
      }
    });

    test('carries large frames unchanged', async () => {
      const { a, b, other, pair } = await connected();
      const frame = Uint8Array.from({ length: 500_000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff);
      a.send(b.self, 'chunk', frame);
      await pair.until(() => other.receivedFrames.length === 1);
      expect(Buffer.compare((other.receivedFrames[0] as Received).frame, frame)).toBe(0);
    });

    test('broadcasts to every connected peer', async () => {
      const { a, other, pair } = await connected();
      a.broadcast('consensus', frameOf(4));
      await pair.until(() => other.receivedFrames.length === 1);
      expect(numberOf((other.receivedFrames[0] as Received).frame)).toBe(4);
    });

    test('sends nothing to an unknown peer, nor to itself', async () => {
      const { a } = await connected();
      expect(a.send('f'.repeat(64) as PeerKey, 'consensus', frameOf(1))).toBe(false);
      expect(a.send(a.self, 'consensus', frameOf(1))).toBe(false);
    });

    test('counts sent and received bytes', async () => {
      const { a, b, other, pair } = await connected();
      a.send(b.self, 'consensus', frameOf(1));
      await pair.until(() => other.receivedFrames.length === 1);
      expect(statusOf(a, b)).toMatchObject({ connected: true, blocked: false });
      expect(statusOf(a, b)?.framesOut).toBeGreaterThanOrEqual(1);
      expect(statusOf(b, a)?.framesIn).toBeGreaterThanOrEqual(1);
      expect(statusOf(b, a)?.bytesIn).toBeGreaterThanOrEqual(4);
    });

    test('disconnects a blocked peer, reports it on both sides, and admits it when unblocked', async () => {
      const { a, b, one, other, pair } = await connected();
      a.block(b.self);
      await pair.until(() => lost(one) && lost(other) && !isConnected(b, a));
      expect(statusOf(a, b)).toMatchObject({ connected: false, blocked: true });
      expect(a.send(b.self, 'consensus', frameOf(1))).toBe(false);
      b.send(a.self, 'consensus', frameOf(2));
      await pair.settle();
      expect(one.receivedFrames).toEqual([]);
      expect(isConnected(a, b)).toBe(false);
      a.unblock(b.self);
      await pair.until(() => isConnected(a, b) && isConnected(b, a));
      b.send(a.self, 'consensus', frameOf(3));
      await pair.until(() => one.receivedFrames.length === 1);
    });

    test('stops, also twice; the other side reports the disconnection, and nothing is sent', async () => {
      const { a, b, other, pair } = await connected();
      await a.stop();
      await a.stop();
      await pair.until(() => lost(other));
      expect(a.send(b.self, 'consensus', frameOf(1))).toBe(false);
      expect(b.send(a.self, 'consensus', frameOf(1))).toBe(false);
    });
  });
}

function listen(transport: Transport): Side {
  const receivedFrames: Received[] = [];
  const events: PeerEvent[] = [];
  transport.onFrame((from, lane, frame) => receivedFrames.push({ from, lane, frame: frame.slice() }));
  transport.onPeer((event) => events.push(event));
  return { transport, receivedFrames, events };
}

function statusOf(here: Transport, there: Transport) {
  return here.peers().find(({ peer }) => peer === there.self);
}

function isConnected(here: Transport, there: Transport): boolean {
  return statusOf(here, there)?.connected === true;
}

function lost({ events }: Side): boolean {
  return events.some(({ type }) => type === 'lost');
}

function frameOf(value: number): Uint8Array {
  const frame = new Uint8Array(4);
  new DataView(frame.buffer).setUint32(0, value);
  return frame;
}

function numberOf(frame: Uint8Array): number {
  return new DataView(frame.buffer, frame.byteOffset).getUint32(0);
}
