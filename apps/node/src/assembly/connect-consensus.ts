/** Connects consensus, sync and, through the frame router, the transport. The simulator uses this function too. */
import {
  type Consensus,
  type ConsensusComponents,
  type ConsensusSetting,
  createConsensus,
} from '@slipstream/consensus';
import type { Transport } from '@slipstream/ports';
import { type Archive, createSync, type Sync } from '@slipstream/sync';
import { type FrameRouterComponents, routeFrames } from './frame-router.ts';

export interface ConnectComponents extends Omit<ConsensusComponents, 'sync'> {
  readonly transport: Transport;
  readonly archive: Archive;
  readonly onDisseminationFrame: FrameRouterComponents['onDisseminationFrame'];
}

export interface ConnectedConsensus {
  readonly consensus: Consensus;
  readonly sync: Sync;
  /** Settles as `Consensus.start` does. */
  start(): Promise<void>;
  /** The transport stops last. */
  stop(): Promise<void>;
}

export function connectConsensus(components: ConnectComponents, setting: ConsensusSetting): ConnectedConsensus {
  const { transport, onBanned } = components;
  const consensus: Consensus = createConsensus(
    {
      ...components,
      sync: {
        fetch: (query, hint) => sync.fetch(query, hint),
        relayCertificate: (certificate) => sync.relayCertificate(certificate),
        relayProposal: (proposal) => sync.relayProposal(proposal),
        moved: (next) => sync.moved(next),
      },
      onBanned(peer, reason, detail) {
        onBanned?.(peer, reason, detail);
        sync.onBanned();
      },
    },
    setting,
  );
  const sync = createSync(
    {
      ...components,
      tip: consensus,
      onFetched: (query, from, response) => consensus.onFetched(query, from, response),
      onMalformed: (peer, message) => consensus.offence(peer, 'bad-sync', message),
    },
    { committee: consensus.committee(), self: consensus.self() },
  );
  return {
    consensus,
    sync,
    async start() {
      routeFrames({ ...components, consensus, sync });
      await transport.start();
      sync.start();
      await consensus.start();
    },
    async stop() {
      await consensus.stop();
      sync.stop();
      await transport.stop();
    },
  };
}
