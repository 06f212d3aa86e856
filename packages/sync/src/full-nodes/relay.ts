/**
 * Relay: what a validator forwards to the nodes that follow it (sync.md, "Full nodes").
 *
 *   subscribe --> current certificates, then each one as it is adopted
 *             \-> proposals and chunks of members that the follower is not connected to
 *
 * Only verified data: a follower blocks a relay that sends invalid data. A slow follower gets less (slow-followers.ts).
 */
import type { Clock, FrameSender, PeerKey, Telemetry } from '@slipstream/ports';
import type { OutgoingFrame } from '@slipstream/primitives';
import {
  type Certificate,
  type Committee,
  encodeFrame,
  FRAME_CERTIFICATES_MAX,
  outgoingFrame,
  type Proposal,
  relayedFrame,
  type Subscribe,
} from '@slipstream/types';
import { memberKeys } from '../member-keys.ts';
import type { ChainTip } from '../requests/archive.ts';

const SUBSCRIBERS_MAX = 256;

/** Between two sends of the newest certificates to a connected peer: the answer is thousands of times larger than the request. */
const CERTIFICATES_PAUSE_MS = 1000;

interface RelayComponents {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly transport: Pick<FrameSender, 'send'>;
  readonly telemetry: Telemetry;
  readonly tip: Pick<ChainTip, 'newestCertificates'>;
}

interface Relay {
  /** A new subscriber gets the newest certificates; a repeated request does not. Members are ignored: they receive everything directly. */
  subscribe(from: PeerKey, wanted: Subscribe): void;
  lost(peer: PeerKey): void;
  certificate(certificate: Certificate): void;
  proposal(proposal: Proposal): void;
  chunk(producer: number, frame: Uint8Array): void;
  /** Subscriptions to certificates stay. Their indices of members meant the committee before. */
  moved(committee: Committee): void;
}

interface Subscriber {
  readonly certificates: boolean;
  readonly members: ReadonlySet<number>;
}

export function createRelay(components: RelayComponents, committee: Committee): Relay {
  const { clock, transport, telemetry, tip } = components;
  let isMember = memberKeys(committee);
  const subscribers = new Map<PeerKey, Subscriber>();
  /** When connected peers got the newest certificates, within CERTIFICATES_PAUSE_MS; oldest first. */
  const reportedMs = new Map<PeerKey, number>();

  function sendNewestCertificates(to: PeerKey): void {
    const nowMs = clock.monotonicMs();
    for (const [peer, atMs] of reportedMs) {
      if (nowMs - atMs < CERTIFICATES_PAUSE_MS) break;
      reportedMs.delete(peer);
    }
    if (reportedMs.has(to)) return;
    reportedMs.set(to, nowMs);
    const news = tip.newestCertificates(FRAME_CERTIFICATES_MAX);
    if (news.length > 0) transport.send(to, 'consensus', certificateFrame(news));
  }

  function bulk(member: number, lane: 'proposal' | 'chunk', frame: () => OutgoingFrame): void {
    let bytes: OutgoingFrame | undefined;
    for (const [peer, { members }] of subscribers) {
      if (!members.has(member)) continue;
      bytes ??= frame();
      if (transport.send(peer, lane, bytes)) telemetry.count('consensus_relay_frames_total', 1, { lane });
    }
  }

  return {
    subscribe(from, { certificates, members }) {
      if (isMember.has(from)) return;
      const wantedBefore = subscribers.get(from)?.certificates === true;
      subscribers.delete(from);
      if (!certificates && members.length === 0) return;
      if (subscribers.size >= SUBSCRIBERS_MAX) {
        telemetry.count('consensus_relay_refused_total');
        return;
      }
      subscribers.set(from, { certificates, members: new Set(members) });
      telemetry.gauge('consensus_relay_followers', subscribers.size);
      if (certificates && !wantedBefore) sendNewestCertificates(from);
    },
    lost(peer) {
      reportedMs.delete(peer);
      if (subscribers.delete(peer)) telemetry.gauge('consensus_relay_followers', subscribers.size);
    },
    certificate(certificate) {
      let bytes: OutgoingFrame | undefined;
      for (const [peer, { certificates }] of subscribers) {
        if (!certificates) continue;
        bytes ??= certificateFrame([certificate]);
        transport.send(peer, 'consensus', bytes);
      }
    },
    proposal: (proposal) =>
      bulk(proposal.block.proposer, 'proposal', () => relayedFrame(encodeFrame('proposal', proposal))),
    chunk: (producer, frame) => bulk(producer, 'chunk', () => relayedFrame(frame)),
    moved(next) {
      isMember = memberKeys(next);
      for (const [peer, { certificates }] of subscribers) {
        if (isMember.has(peer) || !certificates) subscribers.delete(peer);
        else subscribers.set(peer, { certificates, members: new Set() });
      }
      telemetry.gauge('consensus_relay_followers', subscribers.size);
    },
  };
}

function certificateFrame(certificates: readonly Certificate[]): OutgoingFrame {
  return outgoingFrame('consensus', { certificates, votes: [], confirmations: [] });
}
