/**
 * Sources: the peers that a joining node asks: over connections of its own before consensus begins, or over those of the running node. Members
 * come first; others serve a node whose whole committee has left.
 *
 * A peer with wrong bytes is blocked. A slow or empty one is not asked for a while, longer each time. Requests that fail with one lost
 * connection count as one failure.
 */
import type { Clock, FrameSender, PeerKey, Random, Telemetry, Transport } from '@slipstream/ports';
import { type Committee, decodeFrame, frameNameOf, outgoingFrame, type SyncResponse } from '@slipstream/types';
import { SyncError } from '../errors.ts';
import { memberKeys } from '../member-keys.ts';
import { createSyncClient, type SyncAsk, type SyncClient } from '../requests/client.ts';

/** For a failed peer; doubled by each failure until the peer brings something complete. */
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 30_000;

export interface Sources {
  /** Connected, without a recent failure; members first. */
  available(): readonly PeerKey[];
  /** Undefined: no answer in time. */
  ask(peer: PeerKey, ask: SyncAsk): Promise<SyncResponse | undefined>;
  failed(peer: PeerKey): void;
  succeeded(peer: PeerKey): void;
  block(peer: PeerKey, why: string): void;
  stop(): Promise<void>;
}

interface SourcesComponents {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

export async function openSources(
  transport: Omit<Transport, keyof FrameSender> & FrameSender,
  committee: Committee,
  { clock, random, telemetry }: SourcesComponents,
): Promise<Sources> {
  const choice = createChoice(transport, committee, clock);
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
    ...choice,
    ask: (peer, ask) => client.ask(peer, ask),
    block,
    async stop() {
      client.stop();
      await transport.stop();
    },
  };
}

interface RunningSources extends Pick<SourcesComponents, 'clock' | 'telemetry'> {
  readonly transport: Pick<Transport, 'peers'>;
  readonly ask: SyncClient['ask'];
  /** From then on nothing is answered, and `available` throws SyncError `stopped`. */
  readonly signal: AbortSignal;
}

/** Blocks peers for these sources alone: a peer blocked for wrong bytes may be right, and the manifest wrong. */
export function sourcesOfRunningNode(
  { transport, ask, clock, telemetry, signal }: RunningSources,
  committee: Committee,
): Sources {
  const blocked = new Set<PeerKey>();
  const choice = createChoice(transport, committee, clock);
  return {
    ...choice,
    available() {
      if (signal.aborted) throw new SyncError('stopped', 'state sync: this node stops');
      return choice.available().filter((peer) => !blocked.has(peer));
    },
    ask: (peer, what) => ask(peer, what, signal),
    block(peer, why) {
      telemetry.log('warn', `state sync: peer ${peer} ${why}: not asked again by this attempt`, { peer });
      blocked.add(peer);
    },
    async stop() {},
  };
}

/** Those alone: others may have no state to serve. */
export function onlyOf(sources: Sources, peers: ReadonlySet<PeerKey>): Sources {
  return { ...sources, available: () => sources.available().filter((peer) => peers.has(peer)) };
}

function createChoice(
  transport: Pick<Transport, 'peers'>,
  committee: Pick<Committee, 'members'>,
  clock: Pick<Clock, 'monotonicMs'>,
): Pick<Sources, 'available' | 'failed' | 'succeeded'> {
  const isMember = memberKeys(committee);
  const pauses = new Map<PeerKey, { readonly ms: number; readonly untilMs: number }>();
  const isPausing = (peer: PeerKey) => (pauses.get(peer)?.untilMs ?? 0) > clock.monotonicMs();
  return {
    available() {
      const open = transport.peers().filter(({ connected, blocked }) => connected && !blocked);
      const peers = open.map(({ peer }) => peer).filter((peer) => !isPausing(peer));
      return peers.toSorted((a, b) => Number(isMember.has(b)) - Number(isMember.has(a)));
    },
    failed(peer) {
      if (isPausing(peer)) return;
      const ms = Math.min(2 * (pauses.get(peer)?.ms ?? PAUSE_MS / 2), PAUSE_MS_MAX);
      pauses.set(peer, { ms, untilMs: clock.monotonicMs() + ms });
    },
    succeeded: (peer) => void pauses.delete(peer),
  };
}
