/**
 * Sources: the validators that a joining node asks, over a connection of its own that ends before consensus begins.
 *
 * Who serves wrong bytes is blocked; who is slow or has nothing is not asked any more after a few tries.
 */
import { createSyncClient, type SyncAsk } from '@slipstream/consensus';
import type { NetworkTransport } from '@slipstream/network';
import type { Clock, PeerKey, Random, Telemetry } from '@slipstream/ports';
import { type Committee, decodeFrame, encodeFrame, frameNameOf, type SyncResponse } from '@slipstream/types';

const FAILURES_MAX = 3;

export interface Sources {
  /** Validators that are connected now and have not failed. */
  available(): readonly PeerKey[];
  /** Undefined when there was no answer in time. */
  ask(peer: PeerKey, ask: SyncAsk): Promise<SyncResponse | undefined>;
  failed(peer: PeerKey): void;
  block(peer: PeerKey, why: string): void;
  stop(): Promise<void>;
}

export async function openSources(
  transport: NetworkTransport,
  committee: Committee,
  { clock, random, telemetry }: { readonly clock: Clock; readonly random: Random; readonly telemetry: Telemetry },
): Promise<Sources> {
  const isMember = new Set<string>(committee.members.map(({ peerKey }) => peerKey));
  const failures = new Map<PeerKey, number>();
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
    // Nothing is here yet: who asks learns it at once.
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'syncRequest') return;
    const { requestId } = decoded.value.value;
    const nothing = { requestId, blocks: [], certificates: [], chunks: [], more: false };
    transport.send(from, 'sync', encodeFrame('syncResponse', nothing));
  });
  transport.onPeer(() => {});
  await transport.start();

  return {
    available: () =>
      transport
        .peers()
        .filter(({ peer, connected, blocked }) => connected && !blocked && isMember.has(peer))
        .map(({ peer }) => peer)
        .filter((peer) => (failures.get(peer) ?? 0) < FAILURES_MAX),
    ask: (peer, ask) => client.ask(peer, ask),
    failed: (peer) => failures.set(peer, (failures.get(peer) ?? 0) + 1),
    block,
    async stop() {
      client.stop();
      await transport.stop();
    },
  };
}
