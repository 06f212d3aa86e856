/**
 * Sync client: solicited requests, several peers at a time, bounded.
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

/** Requests under way at once; more are refused, and asked for again later by whoever needs them. */
const REQUESTS_MAX = 256;
/** A peer that has not answered by then is not waited for. */
const RESPONSE_TIMEOUT_MS = 5000;

export interface SyncClient {
  /** Asks one peer. Settles with its answer, or undefined: not connected, too slow, or too much under way. */
  ask(peer: PeerKey, ask: SyncAsk): Promise<SyncResponse | undefined>;
  onResponse(from: PeerKey, frame: Uint8Array): void;
  stop(): void;
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
  const open = new Map<number, { readonly peer: PeerKey; readonly settle: (response?: SyncResponse) => void }>();
  let stopped = false;

  function ask(peer: PeerKey, { query, id = ZERO_ID, from = 0, to = 0 }: SyncAsk): Promise<SyncResponse | undefined> {
    if (stopped || open.size >= REQUESTS_MAX) return Promise.resolve(undefined);
    const requestId = random.below(0xffff_ffff) * 1024 + random.below(1024);
    return new Promise((resolve) => {
      const cancel = clock.after(RESPONSE_TIMEOUT_MS, () => settle());
      const settle = (response?: SyncResponse) => {
        if (!open.delete(requestId)) return;
        cancel();
        resolve(response);
      };
      open.set(requestId, { peer, settle });
      if (!transport.send(peer, 'sync', encodeFrame('syncRequest', { requestId, query, id, from, to }))) settle();
    });
  }

  function onResponse(from: PeerKey, frame: Uint8Array): void {
    const found = open.get(syncResponseRequestId(frame));
    if (!found || found.peer !== from) {
      telemetry.count('consensus_sync_unsolicited_total');
      return;
    }
    const decoded = decodeFrame(frame);
    if (decoded.ok && decoded.value.name === 'syncResponse') {
      found.settle(decoded.value.value);
      return;
    }
    components.onMalformed(from, decoded.ok ? 'not a sync response' : decoded.error.message);
    found.settle();
  }

  return {
    ask,
    onResponse,
    stop() {
      stopped = true;
      for (const { settle } of open.values()) settle();
    },
  };
}
