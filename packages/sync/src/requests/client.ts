/**
 * Sync client: solicited requests, several peers at a time, bounded.
 *
 *   ask --> line of the peer (ranges and blocks ahead of chunks) --has room--> sent --> answer, or too late
 *
 * A peer serves one request of ours at a time and keeps only so many waiting; what is beyond it drops without a word, and would
 * be missed only when its time is over. So no more than that is ever sent, and the rest waits here: a node that catches
 * up asks for hundreds of chunks at once.
 *
 * A response is matched by its request id before it is decoded; what nobody asked for, or from somebody else, is dropped.
 */
import type { Clock, PeerKey, Random, Telemetry, Transport } from '@slipstream/ports';
import {
  decodeFrame,
  encodeFrame,
  type SyncQuery,
  type SyncResponse,
  syncResponseRequestId,
  ZERO_ID,
} from '@slipstream/types';

export interface SyncAsk {
  readonly query: SyncQuery;
  readonly id?: Uint8Array;
  readonly from?: number;
  readonly to?: number;
}

/** Requests under way or waiting; more are refused, and asked for again later by whoever needs them. */
const REQUESTS_MAX = 2_048;
/** Of them, waiting for one peer: one that answers nothing must not have what others are asked wait, or be refused, behind it. */
const REQUESTS_WAITING_FOR_PEER_MAX = 512;
/** Requests of one peer that a server keeps waiting behind the one it serves; more are dropped. */
export const REQUESTS_WAITING_AT_SERVER_MAX = 16;
/** A peer that has not answered what was sent to it by then is not waited for. */
const RESPONSE_TIMEOUT_MS = 5000;

export interface SyncClient {
  /** Asks one peer. Settles with its answer, or undefined: not connected, too slow, too much under way, or no longer wanted. */
  ask(peer: PeerKey, ask: SyncAsk, signal?: AbortSignal): Promise<SyncResponse | undefined>;
  onResponse(from: PeerKey, frame: Uint8Array): void;
  stop(): void;
}

interface Request {
  readonly peer: PeerKey;
  readonly what: SyncAsk;
  readonly finish: (response?: SyncResponse) => void;
  readonly onAbort: () => void;
  sent?: { readonly id: number; readonly cancel: () => void };
}

/** Of one peer. */
interface Line {
  underWay: number;
  advancing: boolean;
  /** Ranges, blocks and what else others wait for: each may open the way for many chunks. */
  readonly urgent: Request[];
  readonly chunks: Request[];
}

export interface SyncClientComponents {
  readonly transport: Pick<Transport, 'send'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  /** A peer answered with something that does not decode. */
  readonly onMalformed: (peer: PeerKey, message: string) => void;
}

export function createSyncClient(components: SyncClientComponents): SyncClient {
  const { transport, clock, random, telemetry } = components;
  const open = new Map<number, Request>();
  const lines = new Map<PeerKey, Line>();
  let waiting = 0;
  let stopped = false;

  function ask(peer: PeerKey, what: SyncAsk, signal?: AbortSignal): Promise<SyncResponse | undefined> {
    if (stopped || signal?.aborted === true || open.size + waiting >= REQUESTS_MAX) return Promise.resolve(undefined);
    const line = lines.get(peer) ?? { underWay: 0, advancing: false, urgent: [], chunks: [] };
    if (line.urgent.length + line.chunks.length >= REQUESTS_WAITING_FOR_PEER_MAX) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      lines.set(peer, line);
      const request: Request = { peer, what, finish, onAbort: () => finish() };
      const queue = what.query === 'chunk' ? line.chunks : line.urgent;
      queue.push(request);
      waiting += 1;
      signal?.addEventListener('abort', request.onAbort, { once: true });
      advance(peer, line);

      function finish(response?: SyncResponse): void {
        signal?.removeEventListener('abort', request.onAbort);
        leave(request, line, queue);
        resolve(response);
      }
    });
  }

  /** It is answered, given up or no longer wanted, wherever it is. */
  function leave(request: Request, line: Line, queue: Request[]): void {
    const at = queue.indexOf(request);
    if (at >= 0) {
      queue.splice(at, 1);
      waiting -= 1;
    } else if (request.sent !== undefined && open.delete(request.sent.id)) {
      request.sent.cancel();
      line.underWay -= 1;
    }
    advance(request.peer, line);
  }

  function advance(peer: PeerKey, line: Line): void {
    // What cannot be sent settles at once, and comes back here.
    if (line.advancing) return;
    line.advancing = true;
    while (line.underWay < REQUESTS_WAITING_AT_SERVER_MAX && !stopped) {
      const request = line.urgent.shift() ?? line.chunks.shift();
      if (request === undefined) break;
      waiting -= 1;
      send(request, line);
    }
    line.advancing = false;
    if (line.underWay === 0 && line.urgent.length === 0 && line.chunks.length === 0) lines.delete(peer);
  }

  function send(request: Request, line: Line): void {
    const { peer, what, finish } = request;
    const { query, id = ZERO_ID, from = 0, to = 0 } = what;
    const requestId = random.below(0xffff_ffff) * 1024 + random.below(1024);
    request.sent = { id: requestId, cancel: clock.after(RESPONSE_TIMEOUT_MS, () => finish()) };
    open.set(requestId, request);
    line.underWay += 1;
    if (!transport.send(peer, 'sync', encodeFrame('syncRequest', { requestId, query, id, from, to }))) finish();
  }

  function onResponse(from: PeerKey, frame: Uint8Array): void {
    const found = open.get(syncResponseRequestId(frame));
    if (!found || found.peer !== from) {
      telemetry.count('consensus_sync_unsolicited_total');
      return;
    }
    const decoded = decodeFrame(frame);
    if (decoded.ok && decoded.value.name === 'syncResponse') {
      found.finish(decoded.value.value);
      return;
    }
    components.onMalformed(from, decoded.ok ? 'not a sync response' : decoded.error.message);
    found.finish();
  }

  return {
    ask,
    onResponse,
    stop() {
      stopped = true;
      const queued = [...lines.values()].flatMap(({ urgent, chunks }) => [...urgent, ...chunks]);
      for (const { finish } of [...queued, ...open.values()]) finish();
    },
  };
}
