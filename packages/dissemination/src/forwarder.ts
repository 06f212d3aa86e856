/**
 * Forwarder: brings transactions to the validators, without loops.
 *
 *   client --> full node --> home validator --> every other validator
 *   client -----------------> validator      --> every other validator
 *
 * What comes from a validator is never forwarded: that validator has done so. So a transaction makes at most two hops, and
 * each validator gets it once. The home validator follows from the sender, among those connected: the transactions of one
 * sender take one way. What is still pending after resendMs goes to all validators that a full node knows.
 */
import type { Clock, PeerKey, Transport } from '@slipstream/ports';
import { type Committee, encodeFrame, TRANSACTIONS_FRAME_BYTES_MAX } from '@slipstream/types';
import type { DisseminationLimits } from './limits.ts';
import type { Tally } from './tally.ts';

export interface Forwarded {
  readonly bytes: Uint8Array;
  /** The sender's key: picks the home validator. */
  readonly senderKey: Uint8Array;
}

export interface Forwarder {
  /** `from` undefined: submitted here. */
  add(transaction: Forwarded, from: PeerKey | undefined): void;
  /** To every validator that is connected, not by way of the home validator. */
  addForAll(transaction: Forwarded): void;
  /** Sends what has gathered. */
  flush(): void;
  stop(): void;
}

/** An offset of the list in SSZ, for each transaction of a frame. */
const OFFSET_BYTES = 4;

export function createForwarder(
  {
    transport,
    clock,
    tally,
  }: {
    readonly transport: Pick<Transport, 'send' | 'peers'>;
    readonly clock: Clock;
    readonly tally: Tally;
  },
  { committee, memberIndex }: { readonly committee: Committee; readonly memberIndex: number | undefined },
  { forwardDelayMs }: Pick<DisseminationLimits, 'forwardDelayMs'>,
): Forwarder {
  const validators = committee.members.filter(({ index }) => index !== memberIndex).map(({ peerKey }) => peerKey);
  const isValidator = new Set(committee.members.map(({ peerKey }) => peerKey));
  /** By target: one validator, or all of them. Bounded: a full frame is sent at once. */
  const queues = new Map<PeerKey | 'all', { transactions: Uint8Array[]; bytes: number }>();
  let cancelFlush: (() => void) | undefined;
  /** As of the first transaction since the last flush: asking the transport for each would cost more than the rest. */
  let connectedValidators: readonly PeerKey[] | undefined;

  function enqueue(target: PeerKey | 'all', bytes: Uint8Array): void {
    const size = bytes.length + OFFSET_BYTES;
    const queued = queues.get(target);
    if (queued && queued.bytes + size > TRANSACTIONS_FRAME_BYTES_MAX) send(target, queued.transactions);
    const queue = queues.get(target) ?? { transactions: [], bytes: 0 };
    queues.set(target, queue);
    queue.transactions.push(bytes);
    queue.bytes += size;
    cancelFlush ??= clock.after(forwardDelayMs, flush);
  }

  function send(target: PeerKey | 'all', transactions: readonly Uint8Array[]): void {
    queues.delete(target);
    const frame = encodeFrame('transactions', { transactions });
    for (const peer of target === 'all' ? validators : [target]) {
      if (!transport.send(peer, 'transaction', frame)) tally.drop('forward-refused', transactions.length);
    }
  }

  function flush(): void {
    cancelFlush?.();
    cancelFlush = undefined;
    connectedValidators = undefined;
    for (const [target, { transactions }] of [...queues]) send(target, transactions);
  }

  /** Undefined when no validator is connected. */
  function homeOf(senderKey: Uint8Array): PeerKey | undefined {
    connectedValidators ??= findConnectedValidators();
    const at = new DataView(senderKey.buffer, senderKey.byteOffset, senderKey.length).getUint32(0, true);
    return connectedValidators[at % Math.max(1, connectedValidators.length)];
  }

  function findConnectedValidators(): readonly PeerKey[] {
    const open = transport.peers().filter(({ connected, blocked }) => connected && !blocked);
    const connected = new Set(open.map(({ peer }) => peer));
    return validators.filter((peer) => connected.has(peer));
  }

  return {
    add({ bytes, senderKey }, from) {
      if (from !== undefined && isValidator.has(from)) return;
      const target = memberIndex === undefined ? homeOf(senderKey) : 'all';
      if (target !== undefined) enqueue(target, bytes);
    },
    addForAll: ({ bytes }) => enqueue('all', bytes),
    flush,
    stop() {
      cancelFlush?.();
      cancelFlush = undefined;
      queues.clear();
    },
  };
}
