/**
 * Hedged fetch: asking peers for a chunk, one after another, without waiting for the slow ones.
 *
 *   ask the first --askMs--> ask the next too --askMs--> ...        an answer without it: ask the next at once
 *
 * The first chunk wins; the others' answers are dropped by whoever sent the questions. The order is the hint (proposer,
 * producer, signers of a certificate), then the rest in random order, so that no peer is asked by all at once.
 */
import type { Clock, PeerKey, Random, Transport } from '@slipstream/ports';
import type { ChunkId } from '@slipstream/types';
import type { FetchChunk, FetchedChunk } from './components.ts';

export interface HedgedFetchParts {
  readonly transport: Pick<Transport, 'peers'>;
  readonly clock: Clock;
  readonly random: Random;
  /** One question to one peer: the serialized chunk, undefined when it has none. Rejects when there is no answer. */
  ask(peer: PeerKey, chunkId: ChunkId, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/** A chunk of 2 MB takes this long on a slow link; asking another one too costs its bytes once more. */
const ASK_MS = 250;
/** Peers asked in one attempt. */
const ASKED_MAX = 8;

export function createHedgedFetch({ transport, clock, random, ask }: HedgedFetchParts): FetchChunk {
  function candidates(hint: readonly PeerKey[]): readonly PeerKey[] {
    const connected = transport.peers().flatMap(({ peer, connected: isConnected }) => (isConnected ? [peer] : []));
    const others = connected.filter((peer) => !hint.includes(peer));
    for (let i = others.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [others[i], others[j]] = [others[j] as PeerKey, others[i] as PeerKey];
    }
    return [...new Set(hint)]
      .filter((peer) => connected.includes(peer))
      .concat(others)
      .slice(0, ASKED_MAX);
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
      const askNext = () => {
        cancelTimer();
        const peer = peers[asked];
        if (peer === undefined) {
          if (answered === asked) finish(() => resolve(undefined));
          return;
        }
        asked += 1;
        cancelTimer = clock.after(ASK_MS, askNext);
        ask(peer, chunkId, asking.signal).then(
          (bytes) => onAnswer(peer, bytes),
          () => onAnswer(peer, undefined), // no answer is an answer without it
        );
      };
      const onAnswer = (peer: PeerKey, bytes: Uint8Array | undefined) => {
        answered += 1;
        if (asking.signal.aborted) return;
        if (bytes) finish(() => resolve({ from: peer, bytes }));
        else askNext();
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      askNext();
    });
  };
}
