/**
 * Forwarder: brings each transaction to its home validator, so that not every validator packs it.
 *
 *   client --> full node --> home validator
 *   client -----------------> validator --> home validator        a validator also retains it, and packs it when no chunk has it
 *                                                                 in time
 *
 * The first connected member from the sender key's place in the ring is the home. A transaction from a validator is not forwarded: at most
 * two hops.
 */
import type { Clock, FrameSender, PeerKey, Transport } from '@slipstream/ports';
import { type Committee, outgoingFrame, TRANSACTIONS_FRAME_BYTES_MAX } from '@slipstream/types';
import type { BlockIntervalEstimator } from '../control/block-interval-estimator.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';

interface Forwarded {
  readonly bytes: Uint8Array;
  readonly senderKey: Uint8Array;
}

export interface Forwarder {
  /** `from` undefined: submitted here. Returns the ms until this validator packs it; 0 at the home, undefined on a full node. */
  add(transaction: Forwarded, from: PeerKey | undefined): number | undefined;
  /** To every connected validator. */
  addForAll(bytes: Uint8Array): void;
  flush(): void;
  stop(): void;
}

type Member = Committee['members'][number];

/** Stand-ins wait longer the further they are from the home, up to this many places, so that not all pack at once. */
const FALLBACK_PLACES_MAX = 3;
/** Share of the block interval: hardly delays a transaction's block. */
const GATHER_SHARE = 1 / 8;
const GATHER_FACTOR_MAX = 4;
/** SSZ list offset of each transaction. */
const OFFSET_BYTES = 4;

export function createForwarder(
  {
    transport,
    clock,
    drops,
    blockInterval,
  }: {
    readonly transport: Pick<FrameSender, 'send'> & Pick<Transport, 'peers'>;
    readonly clock: Clock;
    readonly drops: DropCounter;
    readonly blockInterval: Pick<BlockIntervalEstimator, 'intervalMs'>;
  },
  { committee, memberIndex }: { readonly committee: Committee; readonly memberIndex: number | undefined },
  { forwardDelayMs, homeFallbackMs }: Pick<DisseminationLimits, 'forwardDelayMs' | 'homeFallbackMs'>,
): Forwarder {
  const validators = committee.members.filter(({ index }) => index !== memberIndex).map(({ peerKey }) => peerKey);
  const isValidator = new Set(committee.members.map(({ peerKey }) => peerKey));
  /** Bounded: a full frame is sent at once. */
  const queues = new Map<PeerKey | 'all', { transactions: Uint8Array[]; bytes: number }>();
  let cancelFlush: (() => void) | undefined;
  /** Of one flush: a validator once alone must not stay its own home. */
  let reachable: ReadonlySet<number> | undefined;

  function enqueue(target: PeerKey | 'all', bytes: Uint8Array): void {
    const size = bytes.length + OFFSET_BYTES;
    const queued = queues.get(target);
    if (queued && queued.bytes + size > TRANSACTIONS_FRAME_BYTES_MAX) send(target, queued.transactions);
    const queue = queues.get(target) ?? { transactions: [], bytes: 0 };
    queues.set(target, queue);
    queue.transactions.push(bytes);
    queue.bytes += size;
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

  function send(target: PeerKey | 'all', transactions: readonly Uint8Array[]): void {
    queues.delete(target);
    const frame = outgoingFrame('transactions', { transactions });
    for (const peer of target === 'all' ? validators : [target]) {
      if (!transport.send(peer, 'transaction', frame)) drops.add('forward-refused', transactions.length);
    }
  }

  function flush(): void {
    cancelFlush?.();
    cancelFlush = undefined;
    reachable = undefined;
    for (const [target, { transactions }] of [...queues]) send(target, transactions);
  }

  /** Undefined: no validator is connected. */
  function homeOf(senderKey: Uint8Array): Member | undefined {
    reachable ??= findReachable();
    flushSoon();
    const { members } = committee;
    const first = firstWordOf(senderKey) % members.length;
    for (let step = 0; step < members.length; step++) {
      const index = (first + step) % members.length;
      if (reachable.has(index)) return members[index];
    }
    return undefined;
  }

  function findReachable(): ReadonlySet<number> {
    const open = transport.peers().filter(({ connected, blocked }) => connected && !blocked);
    const connected = new Set(open.map(({ peer }) => peer));
    const here = ({ index, peerKey }: Member) => index === memberIndex || connected.has(peerKey);
    return new Set(committee.members.filter(here).map(({ index }) => index));
  }

  function add({ bytes, senderKey }: Forwarded, from: PeerKey | undefined): number | undefined {
    if (from !== undefined && isValidator.has(from)) return memberIndex === undefined ? undefined : 0;
    const home = homeOf(senderKey);
    if (home === undefined) return undefined;
    if (home.index === memberIndex) return 0;
    enqueue(home.peerKey, bytes);
    if (memberIndex === undefined) return undefined;
    const count = committee.members.length;
    const places = (memberIndex - home.index + count) % count;
    return homeFallbackMs * Math.min(places, FALLBACK_PLACES_MAX);
  }

  return {
    add,
    addForAll: (bytes) => enqueue('all', bytes),
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
