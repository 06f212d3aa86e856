import type { Peer } from '@slipstream/schema';
import type { OperatorLink } from '../api-thread/node-link.ts';
import { reportPeers } from '../telemetry/peer-metrics.ts';
import type { Instruments } from './instruments.ts';
import type { OperatorParts } from './parts.ts';
import type { NodeStatus } from './status.ts';

export function createOperatorLink(
  { consensus, transport, telemetry, metrics, logging, finish, clock, artifacts, quarantine, executor }: OperatorParts,
  { peerTable }: Pick<Instruments, 'peerTable'>,
  status: Pick<NodeStatus, 'read'>,
): OperatorLink {
  function peers(): readonly Peer[] {
    const { votesSeen, votesLate } = consensus.status();
    return peerTable.views(transport.peers()).map((known) => {
      if (known.validator === null) return known;
      const at = known.validator;
      return { ...known, votesSeen: votesSeen[at] ?? 0, votesLate: votesLate[at] ?? 0 };
    });
  }

  /** Of an action in the versions of the newest record. */
  function numberOf(application: string, name: string): number | undefined {
    const { applications } = executor.record().parameters;
    const manifests = applications.flatMap((hash, number) => artifacts.manifestOf(hash, number) ?? []);
    const actions = manifests.find((each) => each.name === application)?.actions;
    return actions?.find((each) => each.name === name)?.number;
  }

  return {
    status: async () => status.read(),
    peers: async () => peers(),
    metrics() {
      // At each scrape: with a hundred validators there are a thousand values.
      reportPeers(telemetry, peers());
      return metrics.registry.metrics();
    },
    async blockPeer(peer, reason) {
      if (!transport.peers().some((known) => known.peer === peer)) return { type: 'unknown' };
      transport.block(peer);
      peerTable.blockedBy(peer, reason);
      const { view } = consensus.status();
      telemetry.event('peer.blocked', { peer, reason, detail: 'by an operator', by: 'operator', view });
      return { type: 'done' };
    },
    async unblockPeer(peer) {
      if (!peerTable.isBlocked(peer)) return { type: 'unknown' };
      consensus.unblock(peer);
      peerTable.unblocked(peer);
      return { type: 'done' };
    },
    artifacts: async () => artifacts.list(),
    acceptArtifact: artifacts.accept,
    quarantine: async () => quarantine.list(),
    async quarantineAction(application, name) {
      const action = numberOf(application, name);
      if (action === undefined) return { type: 'unknown' };
      const isAdded = quarantine.add({ application, action, name, by: 'operator', sinceMs: clock.wallMs() });
      return isAdded
        ? { type: 'done' }
        : { type: 'refused', detail: 'the quarantine is full: lift another action first' };
    },
    async liftQuarantine(application, name) {
      const found = quarantine.list().find((each) => each.application === application && each.name === name);
      return found !== undefined && quarantine.lift(application, found.action) ? { type: 'done' } : { type: 'unknown' };
    },
    logLevel: logging.level,
    setLogLevel: logging.setLevel,
    finish,
  };
}
