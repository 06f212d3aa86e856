/**
 * Simulated network: a Transport for each node, and the faults between them.
 *
 *   send --> taps --> uplink (bandwidth) --> link (loss, latency, duplicates) --> the other side's handler
 *
 * Every two started nodes are connected, unless one blocks the other, the pair is cut, or `admits` says no. A partition
 * (`silence`) loses frames and tells nobody; a cut ends the connection and both hear of it. Frames under way die with the
 * connection that carried them.
 */
import type { Lane, PeerKey } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { constantLatency } from './latency.ts';
import { createLifetime, type Lifetime } from './lifetime.ts';
import { createLink, type Link, type LinkFaults } from './link.ts';
import { createMember, type Member, type SimTransport, type SimTransportOptions } from './sim-transport.ts';
import type { Simulation } from './simulation.ts';

export interface SimNetworkOptions extends Partial<LinkFaults> {
  /** What a node can send, all peers together; undefined is without limit. */
  readonly bandwidthBytesPerMs?: number;
  /** Per peer and lane, where bandwidth is limited. */
  readonly queueBytesMax?: number;
  /** Whether two nodes let each other in. */
  readonly admits?: (a: PeerKey, b: PeerKey) => boolean;
}

/** A frame that leaves a node, before anything may happen to it. */
export interface TappedFrame {
  readonly from: PeerKey;
  readonly to: PeerKey;
  readonly lane: Lane;
  readonly frame: Uint8Array;
  readonly atMs: number;
}

export interface SimNetwork {
  /** A node's Transport for one process. Its earlier one, if any, is taken off the network. */
  transport(peer: PeerKey, options?: SimTransportOptions): SimTransport;
  /** Changes the faults of one direction, or of every link there is and will be. */
  setLink(from: PeerKey, to: PeerKey, faults: Partial<LinkFaults>): void;
  setAllLinks(faults: Partial<LinkFaults>): void;
  /** From now on this peer takes what each other sends it so slowly; the rest waits there. Undefined: as fast as it comes. */
  slowReader(peer: PeerKey, bytesPerMs: number | undefined): void;
  /** Frames from one to the other are lost from now on: a one-way partition. */
  dropFrames(from: PeerKey, to: PeerKey): void;
  /** Frames between different groups are lost, both ways. Peers in no group reach nobody in one. */
  partition(groups: readonly (readonly PeerKey[])[]): void;
  /** Ends the connection of a pair and keeps them apart. */
  cut(a: PeerKey, b: PeerKey): void;
  /** Ends silence and cut of a pair, or of all. */
  heal(a: PeerKey, b: PeerKey): void;
  healAll(): void;
  /** Hears every frame that leaves a node. */
  tap(listener: (tapped: TappedFrame) => void): void;
}

interface Pair {
  cut: boolean;
  /** Set while connected; a new one each time. */
  connection: number | undefined;
  connecting: boolean;
}

/** As the real transport allows a slow peer. */
const QUEUE_BYTES_MAX = 16 * 1024 * 1024;

export function createSimNetwork(simulation: Simulation, options: SimNetworkOptions = {}): SimNetwork {
  const { bandwidthBytesPerMs, queueBytesMax = QUEUE_BYTES_MAX, admits = () => true } = options;
  const random = simulation.random('network');
  const members = new Map<PeerKey, Member>();
  const links = new Map<string, Link>();
  const pairs = new Map<string, Pair>();
  const readers = new Map<PeerKey, number | undefined>();
  const taps: ((tapped: TappedFrame) => void)[] = [];
  let connectionsMade = 0;
  let faultsOfNew: LinkFaults = {
    latency: options.latency ?? constantLatency(1),
    lossRate: options.lossRate ?? 0,
    duplicateRate: options.duplicateRate ?? 0,
    reorderRate: options.reorderRate ?? 0,
    reorderMs: options.reorderMs ?? 0,
    silent: options.silent ?? false,
  };

  function linkOf(from: PeerKey, to: PeerKey): Link {
    const name = `${from}>${to}`;
    let link = links.get(name);
    if (link === undefined) {
      link = createLink(from, to, faultsOfNew, random.fork(name));
      links.set(name, link);
    }
    return link;
  }

  function pairOf(a: PeerKey, b: PeerKey): Pair {
    const name = a < b ? `${a}|${b}` : `${b}|${a}`;
    let pair = pairs.get(name);
    if (pair === undefined) {
      pair = { cut: false, connection: undefined, connecting: false };
      pairs.set(name, pair);
    }
    return pair;
  }

  function mayConnect(a: PeerKey, b: PeerKey): boolean {
    const one = members.get(a);
    const other = members.get(b);
    if (one?.up !== true || other?.up !== true || pairOf(a, b).cut) return false;
    return !one.blocked.has(b) && !other.blocked.has(a) && admits(a, b);
  }

  /** Makes or ends the connection of a pair after something about it changed. */
  function reconsider(a: PeerKey, b: PeerKey, reason: string): void {
    const pair = pairOf(a, b);
    const may = mayConnect(a, b);
    if (pair.connection !== undefined && !may) disconnect(a, b, pair, reason);
    else if (pair.connection === undefined && may) connect(a, b, pair);
  }

  function connect(a: PeerKey, b: PeerKey, pair: Pair): void {
    const there = linkOf(a, b);
    const back = linkOf(b, a);
    if (pair.connecting || there.faults.silent || back.faults.silent) return;
    pair.connecting = true;
    simulation.schedule(there.delayMs() + back.delayMs(), () => {
      pair.connecting = false;
      if (pair.connection !== undefined || !mayConnect(a, b)) return;
      if (there.faults.silent || back.faults.silent) return;
      pair.connection = ++connectionsMade;
      simulation.emit({ type: 'connected', from: a, to: b });
      members.get(a)?.tell({ type: 'connected', peer: b });
      members.get(b)?.tell({ type: 'connected', peer: a });
    });
  }

  function disconnect(a: PeerKey, b: PeerKey, pair: Pair, reason: string): void {
    pair.connection = undefined;
    simulation.emit({ type: 'disconnected', from: a, to: b });
    for (const [peer, lost] of [
      [a, b],
      [b, a],
    ] as const) {
      const member = members.get(peer);
      simulation.schedule(0, () => {
        if (pair.connection === undefined) member?.tell({ type: 'lost', peer: lost, reason });
      });
    }
  }

  function reconsiderAll(peer: PeerKey, reason: string): void {
    for (const other of members.keys()) if (other !== peer) reconsider(peer, other, reason);
  }

  function carry(from: PeerKey, to: PeerKey, lane: Lane, frame: Uint8Array): void {
    const { connection } = pairOf(from, to);
    const arrivals = connection === undefined ? [] : linkOf(from, to).carry(lane, simulation.nowMs);
    if (arrivals.length === 0) simulation.emit({ type: 'frame-lost', from, to, lane, frame });
    for (const delayMs of arrivals) {
      simulation.schedule(delayMs, () => {
        const receiver = members.get(to);
        const arrived = receiver?.up === true && pairOf(from, to).connection === connection;
        simulation.emit({ type: arrived ? 'frame-delivered' : 'frame-lost', from, to, lane, frame });
        if (arrived) receiver.deliver(from, lane, frame);
      });
    }
  }

  function transport(peer: PeerKey, transportOptions: SimTransportOptions = {}): SimTransport {
    members.get(peer)?.leave('replaced');
    const lifetime: Lifetime = transportOptions.lifetime ?? createLifetime();
    const member = createMember(peer, transportOptions, {
      simulation,
      bandwidthBytesPerMs,
      queueBytesMax,
      readsBytesPerMs: (of) => readers.get(of),
      carry: (to, lane, frame) => carry(peer, to, lane, frame),
      onSend(to, lane, frame) {
        simulation.emit({ type: 'frame-sent', from: peer, to, lane, frame });
        for (const tap of taps) tap({ from: peer, to, lane, frame, atMs: simulation.nowMs });
      },
      onDrop: (to, lane, frame) => simulation.emit({ type: 'frame-lost', from: peer, to, lane, frame }),
      isConnected: (to) => pairOf(peer, to).connection !== undefined,
      others: () => [...members.values()].filter((other) => other.peer !== peer),
      changed: (reason) => members.get(peer) === member && reconsiderAll(peer, reason),
    });
    members.set(peer, member);
    lifetime.onEnd(() => member.leave('the peer is gone'));
    return member.transport;
  }

  function setDropping(from: PeerKey, to: PeerKey, silent: boolean): void {
    const link = linkOf(from, to);
    link.faults = { ...link.faults, silent };
  }

  function heal(a: PeerKey, b: PeerKey): void {
    setDropping(a, b, false);
    setDropping(b, a, false);
    pairOf(a, b).cut = false;
    reconsider(a, b, 'healed');
  }

  function forEachPair(action: (a: PeerKey, b: PeerKey) => void): void {
    const peers = [...members.keys()];
    for (const [i, a] of peers.entries()) for (const b of peers.slice(i + 1)) action(a, b);
  }

  return {
    transport,
    setLink(from, to, faults) {
      const link = linkOf(from, to);
      link.faults = { ...link.faults, ...faults };
      reconsider(from, to, 'changed');
    },
    setAllLinks(faults) {
      faultsOfNew = { ...faultsOfNew, ...faults };
      for (const link of links.values()) link.faults = { ...link.faults, ...faults };
      forEachPair((a, b) => reconsider(a, b, 'changed'));
    },
    slowReader: (of, bytesPerMs) => void readers.set(of, bytesPerMs),
    dropFrames: (from, to) => setDropping(from, to, true),
    partition(groups) {
      const groupOf = new Map(groups.flatMap((group, index) => group.map((peer) => [peer, index] as const)));
      forEachPair((a, b) => {
        const together = groupOf.get(a) !== undefined && groupOf.get(a) === groupOf.get(b);
        if (together) return;
        setDropping(a, b, true);
        setDropping(b, a, true);
      });
    },
    cut(a, b) {
      assert(a !== b, 'a cut is between two peers');
      pairOf(a, b).cut = true;
      reconsider(a, b, 'cut');
    },
    heal,
    healAll: () => forEachPair(heal),
    tap(listener) {
      taps.push(listener);
    },
  };
}
