/**
 * Forwarder: brings each transaction to its home validator, so that not every validator packs it.
 *
 *   client --> full node --> home validator
 *   client -----------------> validator --> home validator        a validator also retains it, and packs it when no chunk has it
 *                                                                 in time
 *
 * A node that leaves the committee hands its pool over to the home validators (D20), and passes on what validators still send to it.
 *
 * The first connected member from the sender key's place in the ring is the home. A member forwards no transaction from a validator: at most
 * two hops, and a third by a node that left.
 */
import type { Clock, FrameSender, PeerKey, Transport } from '@slipstream/ports';
import { type FrameValue, outgoingFrame } from '@slipstream/types';
import type { AttestationWaits } from '../chunks/attestation-waits.ts';
import type { BlockIntervalEstimator } from '../control/block-interval-estimator.ts';
import type { Committees } from '../epochs/committees.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';
import { createFrameQueues, type ForwardTarget, type QueuedTransaction } from './frame-queues.ts';

interface Forwarded extends QueuedTransaction {
  readonly senderKey: Uint8Array;
}

export interface Forwarder {
  /** `from` undefined: submitted here. Returns the ms until this validator packs it; 0 at the home, undefined on a full node. */
  add(transaction: Forwarded, from: PeerKey | undefined): number | undefined;
  /** To its home in the current epoch, also from a validator. Not sent while no other validator is connected. */
  handOver(transaction: Forwarded): void;
  /** Ms until this validator packs it, unless another does. */
  packAfterMs(senderKey: Uint8Array): number;
  /** To every connected validator. */
  addForAll(transaction: QueuedTransaction): void;
  /** A client waits for the attestation of one that was forwarded before. */
  addWish(transaction: Pick<Forwarded, 'id' | 'senderKey'>): void;
  flush(): void;
  stop(): void;
}

interface Home {
  readonly index: number;
  readonly peer: PeerKey;
}

/** Stand-ins wait longer the further they are from the home, up to this many places, so that not all pack at once. */
const FALLBACK_PLACES_MAX = 3;
/** Share of the block interval: hardly delays a transaction's block. */
const GATHER_SHARE = 1 / 8;
const GATHER_FACTOR_MAX = 4;

export function createForwarder(
  {
    transport,
    clock,
    drops,
    blockInterval,
    committees,
    ackWishes,
  }: {
    readonly transport: Pick<FrameSender, 'send'> & Pick<Transport, 'peers'>;
    readonly clock: Clock;
    readonly drops: DropCounter;
    readonly blockInterval: Pick<BlockIntervalEstimator, 'intervalMs'>;
    readonly committees: Pick<Committees, 'current' | 'validatorOf'>;
    readonly ackWishes: Pick<AttestationWaits, 'has'>;
  },
  { forwardDelayMs, homeFallbackMs }: Pick<DisseminationLimits, 'forwardDelayMs' | 'homeFallbackMs'>,
): Forwarder {
  const queues = createFrameQueues({ ackWishes, send });
  let cancelFlush: (() => void) | undefined;
  /** Of one flush: a validator once alone must not stay its own home. */
  let reachable: ReadonlyMap<number, PeerKey> | undefined;

  function enqueue(target: ForwardTarget, transaction: QueuedTransaction): void {
    queues.add(target, transaction);
    flushSoon();
  }

  function flushSoon(): void {
    cancelFlush ??= clock.after(gatherMs(), flush);
  }

  function gatherMs(): number {
    return Math.min(
      GATHER_FACTOR_MAX * forwardDelayMs,
      Math.max(forwardDelayMs, blockInterval.intervalMs * GATHER_SHARE),
    );
  }

  function send(target: ForwardTarget, { transactions, awaited }: FrameValue<'transactions'>): void {
    const frame = outgoingFrame('transactions', { transactions, awaited });
    for (const peer of target === 'all' ? otherValidators() : [target]) {
      if (!transport.send(peer, 'transaction', frame)) drops.add('forward-refused', transactions.length);
    }
  }

  function otherValidators(): readonly PeerKey[] {
    const { members, self, peerOf } = committees.current;
    const peers = findReachable();
    return members.flatMap(({ index }) => (index === self ? [] : (peers.get(index) ?? peerOf(index) ?? [])));
  }

  function flush(): void {
    cancelFlush?.();
    cancelFlush = undefined;
    reachable = undefined;
    queues.flush();
  }

  /** Undefined: no validator is connected. */
  function homeOf(senderKey: Uint8Array): Home | undefined {
    reachable ??= findReachable();
    flushSoon();
    const { members } = committees.current;
    const first = firstWordOf(senderKey) % members.length;
    for (let step = 0; step < members.length; step++) {
      const index = (first + step) % members.length;
      const peer = reachable.get(index);
      if (peer !== undefined) return { index, peer };
    }
    return undefined;
  }

  /** With the key that is connected: a node changes its identity some time after a rotation. */
  function findReachable(): ReadonlyMap<number, PeerKey> {
    const open = transport.peers().filter(({ connected, blocked }) => connected && !blocked);
    const connected = new Set(open.map(({ peer }) => peer));
    const { members, self, peersOf } = committees.current;
    const found = new Map<number, PeerKey>();
    for (const { index, peerKey } of members) {
      const peer = index === self ? peerKey : peersOf(index).find((each) => connected.has(each));
      if (peer !== undefined) found.set(index, peer);
    }
    return found;
  }

  function add(transaction: Forwarded, from: PeerKey | undefined): number | undefined {
    const { self } = committees.current;
    const isFromValidator = from !== undefined && committees.validatorOf(from) !== undefined;
    if (isFromValidator && self !== undefined) return 0;
    const home = homeOf(transaction.senderKey);
    if (home === undefined) return undefined;
    if (home.index === self) return 0;
    enqueue(home.peer, transaction);
    return self === undefined ? undefined : waitAfter(home, self);
  }

  function waitAfter(home: Home, self: number): number {
    const count = committees.current.members.length;
    const places = (self - home.index + count) % count;
    return homeFallbackMs * Math.min(places, FALLBACK_PLACES_MAX);
  }

  function handOver(transaction: Forwarded): void {
    const home = homeOf(transaction.senderKey);
    if (home !== undefined && home.index !== committees.current.self) enqueue(home.peer, transaction);
  }

  function packAfterMs(senderKey: Uint8Array): number {
    const { self } = committees.current;
    const home = homeOf(senderKey);
    return home === undefined || self === undefined ? homeFallbackMs : waitAfter(home, self);
  }

  return {
    add,
    handOver,
    packAfterMs,
    addForAll: (transaction) => enqueue('all', transaction),
    addWish({ id, senderKey }) {
      const home = homeOf(senderKey);
      if (home === undefined || home.index === committees.current.self) return;
      queues.addWish(home.peer, id);
      flushSoon();
    },
    flush,
    stop() {
      cancelFlush?.();
      cancelFlush = undefined;
      queues.clear();
    },
  };
}

function firstWordOf(key: Uint8Array): number {
  const [a, b, c, d] = [key[0] as number, key[1] as number, key[2] as number, key[3] as number];
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}
