/**
 * Simulated network: a Transport for each node, and faults between them.
 *
 *   send --> taps --> uplink (bandwidth) --> link (loss, latency, duplicates) --> the other side's handler
 *
 * Two started nodes are connected unless one blocks the other, the pair is cut, or `admits` returns false. A partition (`dropFrames`) loses
 * frames without an event; a cut ends the connection with an event on both sides, and loses frames in flight.
 */
import type { Lane, PeerKey } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { constantLatency } from './latency.ts';
import { createLifetime, type Lifetime } from './lifetime.ts';
import { createLink, type Link, type LinkFaults } from './link.ts';
import type { SeededRandom } from './random.ts';
import { Member, type SimTransport, type SimTransportOptions } from './sim-transport.ts';
import type { Simulation } from './simulation.ts';

export interface SimNetworkOptions extends Partial<LinkFaults> {
  /** Upload of a node; undefined: unlimited. */
  readonly bandwidthBytesPerMs?: number;
  /** Per peer and lane, with limited bandwidth. */
  readonly queueBytesMax?: number;
  /** Whether two nodes accept each other. */
  readonly admits?: (a: PeerKey, b: PeerKey) => boolean;
}

interface TappedFrame {
  readonly from: PeerKey;
  readonly to: PeerKey;
  readonly lane: Lane;
  readonly frame: Uint8Array;
  readonly atMs: number;
}

export interface SimNetwork {
  /** For one process; removes the node's earlier one. */
  transport(peer: PeerKey, options?: SimTransportOptions): SimTransport;
  setLink(from: PeerKey, to: PeerKey, faults: Partial<LinkFaults>): void;
  setAllLinks(faults: Partial<LinkFaults>): void;
  /** How fast a peer reads from each other peer; the rest queues at the sender. Undefined: unlimited. */
  slowReader(peer: PeerKey, bytesPerMs: number | undefined): void;
  /** One-way partition. */
  dropFrames(from: PeerKey, to: PeerKey): void;
  /** Frames between groups are lost, both ways. A peer in no group reaches no other. */
  partition(groups: readonly (readonly PeerKey[])[]): void;
  /** Ends a pair's connection and prevents a new one. */
  cut(a: PeerKey, b: PeerKey): void;
  /** Of partition and cut. */
  heal(a: PeerKey, b: PeerKey): void;
  healAll(): void;
  /** Every frame that leaves a node. */
  tap(listener: (tapped: TappedFrame) => void): void;
}

interface Pair {
  cut: boolean;
  /** Set while connected; each connection has a new number. */
  connection: number | undefined;
  connecting: boolean;
}

/** The real transport's limit for a slow peer. */
const QUEUE_BYTES_MAX = 16 * 1024 * 1024;

export function createSimNetwork(simulation: Simulation, options: SimNetworkOptions = {}): SimNetwork {
  return new FaultyNetwork(simulation, options);
}

class FaultyNetwork implements SimNetwork {
  readonly #simulation: Simulation;
  readonly #options: SimNetworkOptions;
  readonly #random: SeededRandom;
  readonly #members = new Map<PeerKey, Member>();
  /** By sender, then receiver: a text of both keys for each frame would cost as much as its way. */
  readonly #links = new Map<PeerKey, Map<PeerKey, Link>>();
  /** By both, in both orders. */
  readonly #pairs = new Map<PeerKey, Map<PeerKey, Pair>>();
  readonly #readers = new Map<PeerKey, number | undefined>();
  readonly #taps: ((tapped: TappedFrame) => void)[] = [];
  #connectionsMade = 0;
  #faultsOfNew: LinkFaults;

  constructor(simulation: Simulation, options: SimNetworkOptions) {
    this.#simulation = simulation;
    this.#options = options;
    this.#random = simulation.random('network');
    this.#faultsOfNew = {
      latency: options.latency ?? constantLatency(1),
      lossRate: options.lossRate ?? 0,
      duplicateRate: options.duplicateRate ?? 0,
      reorderRate: options.reorderRate ?? 0,
      reorderMs: options.reorderMs ?? 0,
      dropsFrames: options.dropsFrames ?? false,
    };
  }

  transport(peer: PeerKey, transportOptions: SimTransportOptions = {}): SimTransport {
    this.#members.get(peer)?.leave('replaced');
    const lifetime: Lifetime = transportOptions.lifetime ?? createLifetime();
    const simulation = this.#simulation;
    const member: Member = new Member(peer, transportOptions, {
      simulation,
      bandwidthBytesPerMs: this.#options.bandwidthBytesPerMs,
      queueBytesMax: this.#options.queueBytesMax ?? QUEUE_BYTES_MAX,
      readsBytesPerMs: (of) => this.#readers.get(of),
      carry: (to, lane, frame) => this.#carry(peer, to, lane, frame),
      onSend: (to, lane, frame) => this.#onSend(peer, to, lane, frame),
      onDrop: (to, lane, frame) => simulation.emit({ type: 'frame-lost', from: peer, to, lane, frame }),
      isConnected: (to) => this.#pairOf(peer, to).connection !== undefined,
      others: () => [...this.#members.values()].filter((other) => other.peer !== peer),
      changed: (reason) => this.#members.get(peer) === member && this.#reconsiderAll(peer, reason),
    });
    this.#members.set(peer, member);
    lifetime.onEnd(() => member.leave('the peer is gone'));
    return member.transport;
  }

  setLink(from: PeerKey, to: PeerKey, faults: Partial<LinkFaults>): void {
    const link = this.#linkOf(from, to);
    link.faults = { ...link.faults, ...faults };
    this.#reconsider(from, to, 'changed');
  }

  setAllLinks(faults: Partial<LinkFaults>): void {
    this.#faultsOfNew = { ...this.#faultsOfNew, ...faults };
    for (const links of this.#links.values()) {
      for (const link of links.values()) link.faults = { ...link.faults, ...faults };
    }
    this.#forEachPair((a, b) => this.#reconsider(a, b, 'changed'));
  }

  slowReader(peer: PeerKey, bytesPerMs: number | undefined): void {
    this.#readers.set(peer, bytesPerMs);
  }

  dropFrames(from: PeerKey, to: PeerKey): void {
    this.#setDropping(from, to, true);
  }

  partition(groups: readonly (readonly PeerKey[])[]): void {
    const groupOf = new Map(groups.flatMap((group, index) => group.map((peer) => [peer, index] as const)));
    this.#forEachPair((a, b) => {
      const together = groupOf.get(a) !== undefined && groupOf.get(a) === groupOf.get(b);
      if (together) return;
      this.#setDropping(a, b, true);
      this.#setDropping(b, a, true);
    });
  }

  cut(a: PeerKey, b: PeerKey): void {
    assert(a !== b, 'a cut is between two peers');
    this.#pairOf(a, b).cut = true;
    this.#reconsider(a, b, 'cut');
  }

  heal(a: PeerKey, b: PeerKey): void {
    this.#setDropping(a, b, false);
    this.#setDropping(b, a, false);
    this.#pairOf(a, b).cut = false;
    this.#reconsider(a, b, 'healed');
  }

  healAll(): void {
    this.#forEachPair((a, b) => this.heal(a, b));
  }

  tap(listener: (tapped: TappedFrame) => void): void {
    this.#taps.push(listener);
  }

  #linkOf(from: PeerKey, to: PeerKey): Link {
    const known = this.#links.get(from)?.get(to);
    if (known !== undefined) return known;
    const link = createLink(from, to, this.#faultsOfNew, this.#random.fork(`${from}>${to}`));
    put(this.#links, from, to, link);
    return link;
  }

  #pairOf(a: PeerKey, b: PeerKey): Pair {
    const known = this.#pairs.get(a)?.get(b);
    if (known !== undefined) return known;
    const pair: Pair = { cut: false, connection: undefined, connecting: false };
    put(this.#pairs, a, b, pair);
    put(this.#pairs, b, a, pair);
    return pair;
  }

  #mayConnect(a: PeerKey, b: PeerKey): boolean {
    const one = this.#members.get(a);
    const other = this.#members.get(b);
    if (one?.up !== true || other?.up !== true || this.#pairOf(a, b).cut) return false;
    return !one.blocked.has(b) && !other.blocked.has(a) && (this.#options.admits?.(a, b) ?? true);
  }

  #reconsider(a: PeerKey, b: PeerKey, reason: string): void {
    const pair = this.#pairOf(a, b);
    const may = this.#mayConnect(a, b);
    if (pair.connection !== undefined && !may) this.#disconnect(a, b, pair, reason);
    else if (pair.connection === undefined && may) this.#connect(a, b, pair);
  }

  #reconsiderAll(peer: PeerKey, reason: string): void {
    for (const other of this.#members.keys()) if (other !== peer) this.#reconsider(peer, other, reason);
  }

  #connect(a: PeerKey, b: PeerKey, pair: Pair): void {
    const there = this.#linkOf(a, b);
    const back = this.#linkOf(b, a);
    if (pair.connecting || there.faults.dropsFrames || back.faults.dropsFrames) return;
    pair.connecting = true;
    this.#simulation.schedule(there.delayMs() + back.delayMs(), () => {
      pair.connecting = false;
      if (pair.connection !== undefined || !this.#mayConnect(a, b)) return;
      if (there.faults.dropsFrames || back.faults.dropsFrames) return;
      pair.connection = ++this.#connectionsMade;
      this.#simulation.emit({ type: 'connected', from: a, to: b });
      this.#members.get(a)?.notify({ type: 'connected', peer: b });
      this.#members.get(b)?.notify({ type: 'connected', peer: a });
    });
  }

  #disconnect(a: PeerKey, b: PeerKey, pair: Pair, reason: string): void {
    pair.connection = undefined;
    this.#simulation.emit({ type: 'disconnected', from: a, to: b });
    this.#notifyLost(a, b, pair, reason);
    this.#notifyLost(b, a, pair, reason);
  }

  #notifyLost(peer: PeerKey, lost: PeerKey, pair: Pair, reason: string): void {
    const member = this.#members.get(peer);
    this.#simulation.schedule(0, () => {
      if (pair.connection === undefined) member?.notify({ type: 'lost', peer: lost, reason });
    });
  }

  #onSend(from: PeerKey, to: PeerKey, lane: Lane, frame: Uint8Array): void {
    this.#simulation.emit({ type: 'frame-sent', from, to, lane, frame });
    for (const tap of this.#taps) tap({ from, to, lane, frame, atMs: this.#simulation.nowMs });
  }

  #carry(from: PeerKey, to: PeerKey, lane: Lane, frame: Uint8Array): void {
    const { connection } = this.#pairOf(from, to);
    const arrivals = connection === undefined ? [] : this.#linkOf(from, to).carry(lane, this.#simulation.nowMs);
    if (arrivals.length === 0) this.#simulation.emit({ type: 'frame-lost', from, to, lane, frame });
    for (const delayMs of arrivals) {
      this.#simulation.schedule(delayMs, () => {
        const receiver = this.#members.get(to);
        const arrived = receiver?.up === true && this.#pairOf(from, to).connection === connection;
        this.#simulation.emit({ type: arrived ? 'frame-delivered' : 'frame-lost', from, to, lane, frame });
        if (arrived) receiver.deliver(from, lane, frame);
      });
    }
  }

  #setDropping(from: PeerKey, to: PeerKey, dropsFrames: boolean): void {
    const link = this.#linkOf(from, to);
    link.faults = { ...link.faults, dropsFrames };
  }

  #forEachPair(action: (a: PeerKey, b: PeerKey) => void): void {
    const peers = [...this.#members.keys()];
    for (const [i, a] of peers.entries()) for (const b of peers.slice(i + 1)) action(a, b);
  }
}

function put<Value>(table: Map<PeerKey, Map<PeerKey, Value>>, a: PeerKey, b: PeerKey, value: Value): void {
  const row = table.get(a) ?? new Map<PeerKey, Value>();
  table.set(a, row.set(b, value));
}
