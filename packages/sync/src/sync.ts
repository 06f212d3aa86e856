/**
 * Sync: requests to other nodes and answers to theirs. A validator relays; a full node has an upstream.
 *
 *   consensus --fetch--> fetcher --> client --request--> peers        answers --> consensus
 *   peers --request--> server --> consensus' memory, archive
 *   validator: relay --proposals, chunks, certificates--> subscribers          full node: upstream --subscribe--> a validator
 */
import type { FetchQuery } from '@slipstream/consensus';
import type { Clock, FrameSender, PeerEvent, PeerKey, Random, Telemetry, Transport } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import type { Certificate, Committee, Frame, Heartbeat, Proposal, SyncResponse } from '@slipstream/types';
import { createRelay } from './full-nodes/relay.ts';
import { createUpstream } from './full-nodes/upstream.ts';
import type { Archive, ChainTip } from './requests/archive.ts';
import { createSyncClient, type SyncClient } from './requests/client.ts';
import { createFetcher } from './requests/fetcher.ts';
import { createSyncServer } from './requests/server.ts';

/** Responses come undecoded (`onResponse`): most late ones are dropped by id. */
type SyncFrame = Extract<Frame, { readonly name: 'syncRequest' | 'subscribe' }>;

interface SyncComponents {
  readonly transport: Pick<FrameSender, 'send'> & Pick<Transport, 'peers'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly tip: ChainTip;
  readonly archive: Archive;
  /** A request of consensus was answered. */
  readonly onFetched: (query: FetchQuery, from: PeerKey, response: SyncResponse) => void;
  /** A response did not decode. */
  readonly onMalformed: (peer: PeerKey, message: string) => void;
}

interface SyncSetting {
  readonly committee: Committee;
  /** Undefined on a full node. */
  readonly self: number | undefined;
}

export interface Sync {
  readonly ask: SyncClient['ask'];
  /** `hint`: members that should have it, best first. */
  fetch(query: FetchQuery, hint: readonly number[]): void;
  onFrame(from: PeerKey, frame: SyncFrame): void;
  onResponse(from: PeerKey, bytes: Uint8Array): void;
  onHeartbeat(from: PeerKey, heartbeat: Heartbeat): void;
  /** A frame of this peer arrived. */
  onAlive(from: PeerKey): void;
  onPeer(event: PeerEvent): void;
  onBanned(): void;
  /** On a validator: to full nodes. */
  relayCertificate(certificate: Certificate): void;
  relayProposal(proposal: Proposal): void;
  /** Of another producer, stored here. */
  relayChunk(producer: number, frame: Uint8Array): void;
  /** Another committee, and another part of this node in it. */
  moved(next: SyncSetting): void;
  start(): void;
  stop(): void;
}

export function createSync(components: SyncComponents, setting: SyncSetting): Sync {
  const client = createSyncClient(components);
  const reportedHeights = new Map<PeerKey, number>();
  const shared = { ...components, client, reportedHeights };
  let parts = createParts(shared, setting);
  let isStarted = false;

  return {
    ask: client.ask,
    fetch: (query, hint) => parts.fetcher.fetch(query, hint),
    onFrame(from, frame) {
      switch (frame.name) {
        case 'syncRequest':
          return parts.server.onRequest(from, frame.value);
        case 'subscribe':
          return parts.relay?.subscribe(from, frame.value);
        default:
          return unreachable(frame, 'sync frame');
      }
    },
    onResponse: client.onResponse,
    onHeartbeat(from, heartbeat) {
      reportedHeights.set(from, heartbeat.finalizedHeight);
      parts.upstream?.heartbeat(from, heartbeat);
    },
    onAlive: (from) => parts.upstream?.onMessage(from),
    onPeer(event) {
      if (event.type === 'offence') return;
      if (event.type === 'lost') {
        reportedHeights.delete(event.peer);
        parts.relay?.lost(event.peer);
      }
      parts.upstream?.changed();
    },
    onBanned: () => parts.upstream?.changed(),
    relayCertificate: (certificate) => parts.relay?.certificate(certificate),
    relayProposal: (proposal) => parts.relay?.proposal(proposal),
    relayChunk: (producer, frame) => parts.relay?.chunk(producer, frame),
    moved(next) {
      const [{ upstream, relay }, isFullNode] = [parts, next.self === undefined];
      if (isFullNode) upstream?.moved(next.committee);
      else upstream?.stop();
      relay?.moved(next.committee);
      parts = createParts(shared, next, parts);
      if (isStarted && upstream === undefined) parts.upstream?.start();
    },
    start() {
      isStarted = true;
      parts.upstream?.start();
    },
    stop() {
      client.stop();
      parts.upstream?.stop();
    },
  };
}

interface FullNodeParts {
  readonly upstream: ReturnType<typeof createUpstream> | undefined;
  readonly relay: ReturnType<typeof createRelay> | undefined;
}

/** What depends on the committee, and on this node's part in it. `before`: moved to the committee. */
function createParts(
  components: SyncComponents & { readonly client: SyncClient; readonly reportedHeights: ReadonlyMap<PeerKey, number> },
  { committee, self }: SyncSetting,
  before?: FullNodeParts,
) {
  const { transport, clock, telemetry, tip, archive, onFetched } = components;
  const isFullNode = self === undefined;
  const upstream = isFullNode ? (before?.upstream ?? createUpstream(components, committee)) : undefined;
  const fetcher = createFetcher({ ...components, committee, self }, (query, from, response) => {
    if (query.type === 'finalized' && response.blocks.length > 0) upstream?.fetchedRange();
    onFetched(query, from, response);
  });
  return {
    server: createSyncServer(tip, archive, components, committee),
    upstream,
    relay: isFullNode ? undefined : (before?.relay ?? createRelay({ transport, clock, telemetry, tip }, committee)),
    fetcher,
  };
}
