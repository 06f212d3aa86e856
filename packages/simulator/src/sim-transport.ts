/** One node on the simulated network: its side of every connection, its handlers, its counters. */
import type { Lane, PeerEvent, PeerKey, PeerStatus, Transport } from '@slipstream/ports';
import type { Lifetime } from './lifetime.ts';
import type { Simulation } from './simulation.ts';
import { createUplink, type Uplink } from './uplink.ts';

export interface SimTransportOptions {
  /** The process it belongs to: it leaves the network with it. */
  readonly lifetime?: Lifetime;
  readonly role?: PeerStatus['role'];
}

export type SimTransport = Transport;

/** What a member needs of the network. */
export interface MemberSurroundings {
  readonly simulation: Simulation;
  readonly bandwidthBytesPerMs: number | undefined;
  readonly queueBytesMax: number;
  /** How fast a slow peer takes what it is sent; undefined: it is not slow. */
  readsBytesPerMs(peer: PeerKey): number | undefined;
  carry(to: PeerKey, lane: Lane, frame: Uint8Array): void;
  onSend(to: PeerKey, lane: Lane, frame: Uint8Array): void;
  onDrop(to: PeerKey, lane: Lane, frame: Uint8Array): void;
  isConnected(to: PeerKey): boolean;
  others(): readonly Member[];
  /** Connections may have to be made or ended. */
  changed(reason: string): void;
}

export interface Member {
  readonly peer: PeerKey;
  readonly role: PeerStatus['role'];
  readonly up: boolean;
  readonly blocked: ReadonlySet<PeerKey>;
  readonly transport: SimTransport;
  deliver(from: PeerKey, lane: Lane, frame: Uint8Array): void;
  tell(event: PeerEvent): void;
  leave(reason: string): void;
}

interface Traffic {
  bytesIn: number;
  bytesOut: number;
  framesIn: number;
  framesOut: number;
  framesDropped: number;
}

export function createMember(
  peer: PeerKey,
  { lifetime, role = 'validator' }: SimTransportOptions,
  surroundings: MemberSurroundings,
): Member {
  const { simulation, bandwidthBytesPerMs, queueBytesMax } = surroundings;
  const blocked = new Set<PeerKey>();
  const traffic = new Map<PeerKey, Traffic>();
  let up = false;
  let handleFrame: (from: PeerKey, lane: Lane, frame: Uint8Array) => void = () => {};
  let handlePeer: (event: PeerEvent) => void = () => {};

  const uplink = bandwidthBytesPerMs === undefined ? undefined : queue(() => bandwidthBytesPerMs);
  /** What waits for slow readers. */
  const waiting = new Map<PeerKey, Uplink>();

  function queue(bytesPerMs: () => number): Uplink {
    return createUplink({
      ...{ bytesPerMs, queueBytesMax },
      schedule: (delayMs, action) => simulation.schedule(delayMs, action),
      transmit: ({ to, lane, frame }) => surroundings.carry(to as PeerKey, lane, frame),
      drop({ to, lane, frame }) {
        trafficOf(to as PeerKey).framesDropped++;
        surroundings.onDrop(to as PeerKey, lane, frame);
      },
    });
  }

  /** Its own queue for a peer that is slow, and until that queue is empty. */
  function queueFor(to: PeerKey): Uplink | undefined {
    const own = waiting.get(to);
    const bytesPerMs = surroundings.readsBytesPerMs(to);
    if (bytesPerMs === undefined && (own?.queuedBytes(to) ?? 0) === 0) return uplink;
    const made = own ?? queue(() => surroundings.readsBytesPerMs(to) ?? Number.POSITIVE_INFINITY);
    waiting.set(to, made);
    return made;
  }

  function trafficOf(other: PeerKey): Traffic {
    let counted = traffic.get(other);
    if (counted === undefined) {
      counted = { bytesIn: 0, bytesOut: 0, framesIn: 0, framesOut: 0, framesDropped: 0 };
      traffic.set(other, counted);
    }
    return counted;
  }

  function send(to: PeerKey, lane: Lane, frame: Uint8Array): boolean {
    if (!up || lifetime?.alive === false || !surroundings.isConnected(to)) return false;
    const counted = trafficOf(to);
    counted.bytesOut += frame.length;
    counted.framesOut++;
    surroundings.onSend(to, lane, frame);
    const queued = queueFor(to);
    if (queued !== undefined) return queued.send({ to, lane, frame });
    surroundings.carry(to, lane, frame);
    return true;
  }

  function received(action: () => void): void {
    if (lifetime) lifetime.whenRunning(action);
    else action();
  }

  function statusOf(other: Member): PeerStatus {
    return {
      peer: other.peer,
      connected: surroundings.isConnected(other.peer),
      blocked: blocked.has(other.peer),
      address: undefined,
      role: other.role,
      roundTripMs: undefined,
      ...trafficOf(other.peer),
      queuedBytes: (uplink?.queuedBytes(other.peer) ?? 0) + (waiting.get(other.peer)?.queuedBytes(other.peer) ?? 0),
    };
  }

  function leave(reason: string): void {
    if (!up) return;
    up = false;
    uplink?.clear();
    for (const queued of waiting.values()) queued.clear();
    surroundings.changed(reason);
  }

  const transport: SimTransport = {
    self: peer,
    send,
    broadcast(lane, frame) {
      for (const other of surroundings.others()) send(other.peer, lane, frame);
    },
    peers: () => surroundings.others().map(statusOf),
    onFrame(handler) {
      handleFrame = handler;
    },
    onPeer(handler) {
      handlePeer = handler;
    },
    block(other) {
      blocked.add(other);
      surroundings.changed('blocked');
    },
    unblock(other) {
      blocked.delete(other);
      surroundings.changed('unblocked');
    },
    async start() {
      if (up || lifetime?.alive === false) return;
      up = true;
      surroundings.changed('started');
    },
    async stop() {
      leave('stopped');
    },
  };

  return {
    peer,
    role,
    get up() {
      return up;
    },
    blocked,
    transport,
    deliver(from, lane, frame) {
      const counted = trafficOf(from);
      counted.bytesIn += frame.length;
      counted.framesIn++;
      received(() => handleFrame(from, lane, frame));
    },
    tell(event) {
      received(() => up && handlePeer(event));
    },
    leave,
  };
}
