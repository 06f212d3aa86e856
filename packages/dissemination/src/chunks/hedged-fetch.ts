/**
 * Hedged fetch: requests a chunk from one peer after another, without waiting for slow ones.
 *
 *   request from the first --ASK_MS--> from the next too --ASK_MS--> ...        an answer without it: from the next at once
 *
 * A peer that serves other chunks of a long queue meanwhile is not slow: requesting each from all would multiply what they serve. It gets
 * up to QUEUE_MS.
 *
 * Order: the hint (proposer, certificate signers), validators, full nodes. All but the first are shuffled within these each time, so that
 * nodes do not all ask one peer, and unresponsive first signers do not delay every chunk.
 */
import type { Clock, PeerKey, PeerStatus, Random, Transport } from '@slipstream/ports';
import type { ChunkId } from '@slipstream/types';
import type { FetchChunk, FetchedChunk } from '../components.ts';

interface HedgedFetchParts {
  readonly transport: Pick<Transport, 'peers'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Undefined: the peer has no such chunk. Rejects without an answer. */
  ask(peer: PeerKey, chunkId: ChunkId, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/** A 2 MB chunk takes this long on a slow link; a second request costs its bytes again. */
const ASK_MS = 250;
const QUEUE_MS = 1_000;
/** More are under way with a peer only while this node catches up. */
const QUEUE_LENGTH = 2;
/** Per attempt. */
const ASKED_MAX = 8;

interface PeerQueue {
  length: number;
  servedMs: number;
}

export function createHedgedFetch({ transport, clock, random, ask }: HedgedFetchParts): FetchChunk {
  /** With requests under way. */
  const queues = new Map<PeerKey, PeerQueue>();

  function queueOf(peer: PeerKey): PeerQueue {
    const queue = queues.get(peer) ?? { length: 0, servedMs: Number.NEGATIVE_INFINITY };
    queues.set(peer, queue);
    return queue;
  }

  async function askQueued(peer: PeerKey, chunkId: ChunkId, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const queue = queueOf(peer);
    queue.length += 1;
    try {
      const bytes = await ask(peer, chunkId, signal);
      if (bytes !== undefined) queue.servedMs = clock.monotonicMs();
      return bytes;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) queues.delete(peer);
    }
  }

  function servesQueue(peer: PeerKey): boolean {
    const queue = queues.get(peer);
    return queue !== undefined && queue.length > QUEUE_LENGTH && clock.monotonicMs() - queue.servedMs < ASK_MS;
  }

  function candidates([first, ...hint]: readonly PeerKey[]): readonly PeerKey[] {
    const connected = transport.peers().filter(({ connected: isConnected }) => isConnected);
    const isConnected = new Set(connected.map(({ peer }) => peer));
    const of = (wanted: (role: PeerStatus['role']) => boolean) =>
      connected.flatMap(({ peer, role }) => (wanted(role) ? [peer] : []));
    const order = [
      ...(first === undefined ? [] : [first]),
      ...shuffled(hint),
      ...shuffled(of((role) => role === 'validator')),
      ...shuffled(of((role) => role !== 'validator')),
    ];
    return [...new Set(order)].filter((peer) => isConnected.has(peer)).slice(0, ASKED_MAX);
  }

  function shuffled(peers: readonly PeerKey[]): readonly PeerKey[] {
    const order = [...peers];
    for (let i = order.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j] as PeerKey, order[i] as PeerKey];
    }
    return order;
  }

  return (chunkId, hint, signal) => {
    const peers = candidates(hint);
    const asking = new AbortController();
    let asked = 0;
    let answered = 0;
    let cancelTimer: () => void = () => undefined;

    return new Promise<FetchedChunk | undefined>((resolve, reject) => {
      const finish = (settle: () => void) => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
        asking.abort();
        settle();
      };
      const onAbort = () => finish(() => reject(signal.reason));
      const requestNext = () => {
        cancelTimer();
        const peer = peers[asked];
        if (peer === undefined) {
          if (answered === asked) finish(() => resolve(undefined));
          return;
        }
        asked += 1;
        cancelTimer = clock.after(ASK_MS, () => requestNextUnless(peer, clock.monotonicMs() + QUEUE_MS - ASK_MS));
        askQueued(peer, chunkId, asking.signal).then(
          (bytes) => onAnswer(peer, bytes),
          () => onAnswer(peer, undefined),
        );
      };
      const requestNextUnless = (served: PeerKey, untilMs: number) => {
        if (!servesQueue(served) || clock.monotonicMs() >= untilMs) return requestNext();
        cancelTimer = clock.after(ASK_MS, () => requestNextUnless(served, untilMs));
      };
      const onAnswer = (peer: PeerKey, bytes: Uint8Array | undefined) => {
        answered += 1;
        if (asking.signal.aborted) return;
        if (bytes) finish(() => resolve({ from: peer, bytes }));
        else requestNext();
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      requestNext();
    });
  };
}
