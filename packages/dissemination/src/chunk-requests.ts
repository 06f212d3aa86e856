/**
 * Chunk requests: asking peers for a chunk by id, and serving those who ask.
 *
 * One peer is asked after another, the next one as soon as the last has answered without it or has taken askMs; the first
 * chunk wins. Answers are solicited: one whose number was not given out to that peer is not ours. Numbers begin at 2^48, so
 * that they never meet those of consensus, which begin at 0.
 */
import type { Clock, PeerKey, Random, Transport } from '@slipstream/ports';
import { type ChunkId, decodeFrame, encodeFrame, type SyncRequest, syncResponseRequestId } from '@slipstream/types';
import type { FetchChunk, FetchedChunk, Reports } from './components.ts';

export interface ChunkRequests {
  readonly fetch: FetchChunk;
  /** A `sync response` frame, kind byte included; false when it answers nothing that was asked here. */
  onResponse(from: PeerKey, frame: Uint8Array): boolean;
  /** False when the request is not for a chunk. */
  onRequest(from: PeerKey, request: SyncRequest): boolean;
}

/** A chunk of 2 MB takes this long on a slow link; asking another one too costs its bytes once more. */
const ASK_MS = 250;
/** Peers asked in one attempt. */
const ASKED_MAX = 8;
/** After the last was asked. */
const GIVE_UP_MS = 2_000;
const FIRST_REQUEST_ID = 2 ** 48;

export function createChunkRequests({
  transport,
  clock,
  random,
  reports,
  bytesOf,
}: {
  readonly transport: Pick<Transport, 'send' | 'peers'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly reports: Reports;
  /** Serialized signed chunk; undefined when it is not here. */
  bytesOf(chunkId: ChunkId): Promise<Uint8Array | undefined>;
}): ChunkRequests {
  const open = new Map<number, { readonly peer: PeerKey; answer(chunk: Uint8Array | undefined): void }>();
  let nextRequestId = FIRST_REQUEST_ID;

  function candidates(hint: readonly PeerKey[]): readonly PeerKey[] {
    const connected = transport
      .peers()
      .filter((peer) => peer.connected)
      .map(({ peer }) => peer);
    const others = connected.filter((peer) => !hint.includes(peer));
    for (let i = others.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [others[i], others[j]] = [others[j] as PeerKey, others[i] as PeerKey];
    }
    return [...hint.filter((peer) => connected.includes(peer)), ...others].slice(0, ASKED_MAX);
  }

  function fetch(chunkId: ChunkId, hint: readonly PeerKey[], signal: AbortSignal): Promise<FetchedChunk | undefined> {
    const peers = candidates(hint);
    const asked: number[] = [];
    let cancelTimer: () => void = () => undefined;

    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
        for (const requestId of asked) open.delete(requestId);
        settle();
      };
      const onAbort = () => finish(() => reject(signal.reason));
      const askNext = () => {
        cancelTimer();
        const peer = peers[asked.length];
        if (peer === undefined) {
          const pending = asked.some((requestId) => open.has(requestId));
          if (!pending) return finish(() => resolve(undefined));
          cancelTimer = clock.after(GIVE_UP_MS, () => finish(() => resolve(undefined)));
          return;
        }
        const requestId = nextRequestId++;
        asked.push(requestId);
        open.set(requestId, {
          peer,
          answer(bytes) {
            open.delete(requestId);
            if (bytes) finish(() => resolve({ from: peer, bytes }));
            else askNext();
          },
        });
        cancelTimer = clock.after(ASK_MS, askNext);
        const request: SyncRequest = { requestId, query: 'chunk', id: chunkId, from: 0, to: 0 };
        transport.send(peer, 'sync', encodeFrame('syncRequest', request));
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      askNext();
    });
  }

  function onResponse(from: PeerKey, frame: Uint8Array): boolean {
    const request = open.get(syncResponseRequestId(frame));
    if (request === undefined || request.peer !== from) return syncResponseRequestId(frame) >= FIRST_REQUEST_ID;
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'syncResponse') {
      reports.offence(from, 'malformed-frame', decoded.ok ? 'not a sync response' : decoded.error.message);
      request.answer(undefined);
      return true;
    }
    request.answer(decoded.value.value.chunks[0]);
    return true;
  }

  function onRequest(from: PeerKey, { query, id, requestId }: SyncRequest): boolean {
    if (query !== 'chunk') return false;
    const send = (chunks: readonly Uint8Array[]) => {
      const response = { requestId, blocks: [], certificates: [], chunks, more: false };
      transport.send(from, 'sync', encodeFrame('syncResponse', response));
    };
    bytesOf(id as ChunkId).then(
      (bytes) => send(bytes ? [bytes] : []),
      () => send([]),
    );
    return true;
  }

  return { fetch, onResponse, onRequest };
}
