/**
 * Relay: what a validator passes on to the nodes that follow it (pipeline.md, "Full nodes").
 *
 *   subscribe --> the certificates of the moment, then each one as it is adopted
 *             \-> proposals and chunks of members that the follower is not connected to
 *
 * Everything passed on was verified here, so that a follower may hold its relay to account for it. A follower whose queue grows
 * is slow: it gets certificates alone, and heights by the heartbeat, until the queue is short again; what it misses it fetches.
 */
import type { Clock, PeerKey, Telemetry, Transport } from '@slipstream/ports';
import {
  type Certificate,
  type Committee,
  encodeFrame,
  FRAME_CERTIFICATES_MAX,
  type Proposal,
  type Subscribe,
} from '@slipstream/types';

/** Unsent bytes above which a follower is slow: two seconds of a busy chain at 8 Mbit/s. */
const SLOW_ABOVE_BYTES = 2 * 1024 * 1024;
const FAST_BELOW_BYTES = 256 * 1024;
/** How often queues are looked at: what is sent between two looks is below the transport's own limit. */
const LOOK_MS = 100;
/** More ask for a place elsewhere. Connections of full nodes are limited too (network.fullNodes). */
const SUBSCRIBERS_MAX = 256;

export interface RelayComponents {
  readonly transport: Pick<Transport, 'send' | 'peers'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly telemetry: Telemetry;
  /** Certificates that tell a newcomer where the chain is. */
  readonly current: (limit: number) => readonly Certificate[];
}

export interface Relay {
  /** Asks of members are ignored: they hear of everything by themselves. */
  subscribe(from: PeerKey, wanted: Subscribe): void;
  lost(peer: PeerKey): void;
  certificate(certificate: Certificate): void;
  proposal(proposal: Proposal): void;
  /** A whole frame, stored here before. */
  chunk(producer: number, frame: Uint8Array): void;
}

interface Subscriber {
  readonly certificates: boolean;
  readonly members: ReadonlySet<number>;
  slow: boolean;
}

export function createRelay(components: RelayComponents, committee: Committee): Relay {
  const { transport, clock, telemetry, current } = components;
  const isMember = new Set(committee.members.map(({ peerKey }) => peerKey));
  const subscribers = new Map<PeerKey, Subscriber>();
  let lookedMs = Number.NEGATIVE_INFINITY;

  function look(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - lookedMs < LOOK_MS) return;
    lookedMs = nowMs;
    for (const { peer, queuedBytes } of transport.peers()) {
      const subscriber = subscribers.get(peer);
      if (!subscriber) continue;
      const slow = queuedBytes > (subscriber.slow ? FAST_BELOW_BYTES : SLOW_ABOVE_BYTES);
      if (slow !== subscriber.slow) telemetry.event(slow ? 'follower.slow' : 'follower.fast', { peer, queuedBytes });
      subscriber.slow = slow;
    }
  }

  /** Proposals and chunks of one member, to those who asked for them and keep up. */
  function bulk(member: number, lane: 'proposal' | 'chunk', frame: () => Uint8Array): void {
    if (subscribers.size === 0) return;
    look();
    let bytes: Uint8Array | undefined;
    for (const [peer, { members, slow }] of subscribers) {
      if (!members.has(member)) continue;
      if (slow) {
        telemetry.count('consensus_relay_skipped_total', 1, { lane });
        continue;
      }
      bytes ??= frame();
      transport.send(peer, lane, bytes);
      telemetry.count('consensus_relay_frames_total', 1, { lane });
    }
  }

  return {
    subscribe(from, { certificates, members }) {
      if (isMember.has(from)) return;
      subscribers.delete(from);
      if (!certificates && members.length === 0) return;
      if (subscribers.size >= SUBSCRIBERS_MAX) {
        telemetry.count('consensus_relay_refused_total');
        return;
      }
      subscribers.set(from, { certificates, members: new Set(members), slow: false });
      telemetry.gauge('consensus_relay_followers', subscribers.size);
      const news = certificates ? current(FRAME_CERTIFICATES_MAX) : [];
      if (news.length > 0) transport.send(from, 'consensus', certificateFrame(news));
    },
    lost(peer) {
      if (subscribers.delete(peer)) telemetry.gauge('consensus_relay_followers', subscribers.size);
    },
    certificate(certificate) {
      let bytes: Uint8Array | undefined;
      for (const [peer, { certificates }] of subscribers) {
        if (!certificates) continue;
        bytes ??= certificateFrame([certificate]);
        transport.send(peer, 'consensus', bytes);
      }
    },
    proposal: (proposal) => bulk(proposal.block.proposer, 'proposal', () => encodeFrame('proposal', proposal)),
    chunk: (producer, frame) => bulk(producer, 'chunk', () => frame),
  };
}

function certificateFrame(certificates: readonly Certificate[]): Uint8Array {
  return encodeFrame('consensus', { certificates, votes: [], confirmations: [] });
}
