/**
 * Sources: the validators that a joining node asks, over its own connections, which end before consensus begins.
 *
 * A peer with wrong bytes is blocked. A slow or empty one is not asked for a while, longer each time. Requests that fail with one lost
 * connection count as one failure.
 */
import type { Clock, FrameSender, PeerKey, Random, Telemetry, Transport } from '@slipstream/ports';
import { type Committee, decodeFrame, frameNameOf, outgoingFrame, type SyncResponse } from '@slipstream/types';
import { createSyncClient, type SyncAsk } from '../requests/client.ts';

/** For a failed peer; doubled by each failure until the peer brings something complete. */
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 30_000;

export interface Sources {
  /** Connected, without a recent failure. */
  available(): readonly PeerKey[];
  /** Undefined: no answer in time. */
  ask(peer: PeerKey, ask: SyncAsk): Promise<SyncResponse | undefined>;
  failed(peer: PeerKey): void;
  succeeded(peer: PeerKey): void;
  block(peer: PeerKey, why: string): void;
  stop(): Promise<void>;
}

export async function openSources(
  transport: Omit<Transport, keyof FrameSender> & FrameSender,
  committee: Committee,
  { clock, random, telemetry }: { readonly clock: Clock; readonly random: Random; readonly telemetry: Telemetry },
): Promise<Sources> {
  const isMember = new Set<string>(committee.members.map(({ peerKey }) => peerKey));
  const pauses = new Map<PeerKey, { readonly ms: number; readonly untilMs: number }>();
  const isPausing = (peer: PeerKey) => (pauses.get(peer)?.untilMs ?? 0) > clock.monotonicMs();
  const client = createSyncClient({
    transport,
    clock,
    random,
    telemetry,
    onMalformed: (peer, why) => block(peer, why),
  });

  function block(peer: PeerKey, why: string): void {
    telemetry.log('warn', `state sync: peer ${peer} ${why}: blocked`, { peer });
    telemetry.event('peer.blocked', { peer, reason: 'bad-sync', detail: why });
    transport.block(peer);
  }

  transport.onFrame((from, _lane, frame) => {
    const name = frameNameOf(frame);
    if (name === 'syncResponse') client.onResponse(from, frame);
    if (name !== 'syncRequest') return;
    // An empty answer spares the peer its timeout.
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'syncRequest') return;
    const { requestId } = decoded.value.value;
    const nothing = { requestId, blocks: [], certificates: [], chunks: [], more: false };
    transport.send(from, 'sync', outgoingFrame('syncResponse', nothing));
  });
  transport.onPeer(() => {});
  await transport.start();

  return {
    available: () =>
      transport
        .peers()
        .filter(({ peer, connected, blocked }) => connected && !blocked && isMember.has(peer))
        .map(({ peer }) => peer)
        .filter((peer) => !isPausing(peer)),
    ask: (peer, ask) => client.ask(peer, ask),
    failed(peer) {
      if (isPausing(peer)) return;
      const ms = Math.min(2 * (pauses.get(peer)?.ms ?? PAUSE_MS / 2), PAUSE_MS_MAX);
      pauses.set(peer, { ms, untilMs: clock.monotonicMs() + ms });
    },
    succeeded: (peer) => void pauses.delete(peer),
    block,
    async stop() {
      client.stop();
      await transport.stop();
    },
  };
}
