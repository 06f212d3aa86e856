/** One node on the simulated network. */
import type { Lane, PeerEvent, PeerKey, PeerStatus, Transport } from '@slipstream/ports';
import type { Lifetime } from './lifetime.ts';
import type { Simulation } from './simulation.ts';
import { createUplink, type Uplink } from './uplink.ts';

export interface SimTransportOptions {
  /** At its end the transport leaves the network. */
  readonly lifetime?: Lifetime;
  readonly role?: PeerStatus['role'];
}

export type SimTransport = Transport;

interface MemberSurroundings {
  readonly simulation: Simulation;
  readonly bandwidthBytesPerMs: number | undefined;
  readonly queueBytesMax: number;
  /** Of a slow reader. */
  readsBytesPerMs(peer: PeerKey): number | undefined;
  carry(to: PeerKey, lane: Lane, frame: Uint8Array): void;
  onSend(to: PeerKey, lane: Lane, frame: Uint8Array): void;
  onDrop(to: PeerKey, lane: Lane, frame: Uint8Array): void;
  isConnected(to: PeerKey): boolean;
  others(): readonly Member[];
  changed(reason: string): void;
}

interface Traffic {
  bytesIn: number;
  bytesOut: number;
  framesIn: number;
  framesOut: number;
  framesDropped: number;
}

export class Member {
  readonly peer: PeerKey;
  readonly transport: SimTransport;
  readonly role: PeerStatus['role'];
  readonly #lifetime: Lifetime | undefined;
  readonly #surroundings: MemberSurroundings;
  readonly #blocked = new Set<PeerKey>();
  readonly #traffic = new Map<PeerKey, Traffic>();
  readonly #uplink: Uplink | undefined;
  /** Of slow readers. */
  readonly #slowReaders = new Map<PeerKey, Uplink>();
  #up = false;
  #handleFrame: (from: PeerKey, lane: Lane, frame: Uint8Array) => void = () => {};
  #handlePeer: (event: PeerEvent) => void = () => {};

  constructor(peer: PeerKey, { lifetime, role = 'validator' }: SimTransportOptions, surroundings: MemberSurroundings) {
    const { bandwidthBytesPerMs } = surroundings;
    this.peer = peer;
    this.role = role;
    this.#lifetime = lifetime;
    this.#surroundings = surroundings;
    this.#uplink = bandwidthBytesPerMs === undefined ? undefined : this.#createUplink(() => bandwidthBytesPerMs);
    this.transport = this.#createTransport();
  }

  get up(): boolean {
    return this.#up;
  }

  get blocked(): ReadonlySet<PeerKey> {
    return this.#blocked;
  }

  deliver(from: PeerKey, lane: Lane, frame: Uint8Array): void {
    const counted = this.#trafficOf(from);
    counted.bytesIn += frame.length;
    counted.framesIn++;
    this.#whenRunning(() => this.#handleFrame(from, lane, frame));
  }

  notify(event: PeerEvent): void {
    this.#whenRunning(() => this.#up && this.#handlePeer(event));
  }

  leave(reason: string): void {
    if (!this.#up) return;
    this.#up = false;
    this.#uplink?.clear();
    for (const queue of this.#slowReaders.values()) queue.clear();
    this.#surroundings.changed(reason);
  }

  /** A plain object: attackers in tests replace its functions. */
  #createTransport(): SimTransport {
    const { changed, others } = this.#surroundings;
    return {
      self: this.peer,
      send: (to, lane, frame) => this.#send(to, lane, frame),
      broadcast: (lane, frame) => {
        for (const { peer } of others()) this.#send(peer, lane, frame);
      },
      peers: () => others().map((other) => this.#statusOf(other)),
      onFrame: (handler) => {
        this.#handleFrame = handler;
      },
      onPeer: (handler) => {
        this.#handlePeer = handler;
      },
      block: (other) => {
        this.#blocked.add(other);
        changed('blocked');
      },
      unblock: (other) => {
        this.#blocked.delete(other);
        changed('unblocked');
      },
      start: async () => this.#start(),
      stop: async () => this.leave('stopped'),
    };
  }

  #start(): void {
    if (this.#up || this.#lifetime?.alive === false) return;
    this.#up = true;
    this.#surroundings.changed('started');
  }

  #send(to: PeerKey, lane: Lane, frame: Uint8Array): boolean {
    if (!this.#up || this.#lifetime?.alive === false || !this.#surroundings.isConnected(to)) return false;
    const counted = this.#trafficOf(to);
    counted.bytesOut += frame.length;
    counted.framesOut++;
    this.#surroundings.onSend(to, lane, frame);
    const queue = this.#queueFor(to);
    if (queue !== undefined) return queue.send({ to, lane, frame });
    this.#surroundings.carry(to, lane, frame);
    return true;
  }

  #createUplink(bytesPerMs: () => number): Uplink {
    const { simulation, queueBytesMax, carry, onDrop } = this.#surroundings;
    return createUplink({
      bytesPerMs,
      queueBytesMax,
      schedule: (delayMs, action) => simulation.schedule(delayMs, action),
      transmit: ({ to, lane, frame }) => carry(to as PeerKey, lane, frame),
      drop: ({ to, lane, frame }) => {
        this.#trafficOf(to as PeerKey).framesDropped++;
        onDrop(to as PeerKey, lane, frame);
      },
    });
  }

  /** A slow reader's own queue stays until it is empty. */
  #queueFor(to: PeerKey): Uplink | undefined {
    const { readsBytesPerMs } = this.#surroundings;
    const own = this.#slowReaders.get(to);
    if (readsBytesPerMs(to) === undefined && (own?.queuedBytes(to) ?? 0) === 0) return this.#uplink;
    const made = own ?? this.#createUplink(() => readsBytesPerMs(to) ?? Number.POSITIVE_INFINITY);
    this.#slowReaders.set(to, made);
    return made;
  }

  #trafficOf(other: PeerKey): Traffic {
    let counted = this.#traffic.get(other);
    if (counted === undefined) {
      counted = { bytesIn: 0, bytesOut: 0, framesIn: 0, framesOut: 0, framesDropped: 0 };
      this.#traffic.set(other, counted);
    }
    return counted;
  }

  #statusOf({ peer, role }: Member): PeerStatus {
    const waiting = this.#slowReaders.get(peer)?.queuedBytes(peer) ?? 0;
    return {
      peer,
      connected: this.#surroundings.isConnected(peer),
      blocked: this.#blocked.has(peer),
      address: undefined,
      role,
      roundTripMs: undefined,
      ...this.#trafficOf(peer),
      queuedBytes: (this.#uplink?.queuedBytes(peer) ?? 0) + waiting,
    };
  }

  /** A paused process runs it when it resumes. */
  #whenRunning(action: () => void): void {
    if (this.#lifetime) this.#lifetime.whenRunning(action);
    else action();
  }
}
