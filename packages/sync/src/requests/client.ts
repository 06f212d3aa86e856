/**
 * Sync client: bounded requests to several peers.
 *
 *   ask --> queue of the peer (ranges and blocks before chunks) --fewer than the limit under way--> sent --> answer or timeout
 *
 * A peer serves one request of this node at a time, queues a limited number and drops the rest, so the client queues its own excess: a node
 * that catches up asks for hundreds of chunks at once. An unsolicited response is dropped by its request id, undecoded.
 */
import type { Clock, FrameSender, PeerKey, Random, Telemetry } from '@slipstream/ports';
import {
  decodeFrame,
  outgoingFrame,
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

/** Under way or queued; further ones are refused. */
const REQUESTS_MAX = 2_048;
/** An unresponsive peer must not block requests to others. */
const REQUESTS_WAITING_FOR_PEER_MAX = 512;
/** Per peer, behind the one being served; further ones are dropped. */
export const REQUESTS_WAITING_AT_SERVER_MAX = 16;
const RESPONSE_TIMEOUT_MS = 5000;

export interface SyncClient {
  /** Undefined: the peer is not connected, too slow or at a limit, or `signal` aborted. */
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

interface Line {
  underWay: number;
  advancing: boolean;
  /** All but chunks and artifacts: one may show many missing chunks. */
  readonly urgent: Request[];
  readonly chunks: Request[];
}

interface SyncClientComponents {
  readonly transport: Pick<FrameSender, 'send'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
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
      const queue = what.query === 'chunk' || what.query === 'artifact' ? line.chunks : line.urgent;
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
    // A request that cannot be sent ends at once and calls this function again.
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
    if (!transport.send(peer, 'sync', outgoingFrame('syncRequest', { requestId, query, id, from, to }))) finish();
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
