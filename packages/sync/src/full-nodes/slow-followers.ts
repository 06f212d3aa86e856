/**
 * Slow followers: bounds the unsent bytes of a follower.
 *
 *   proposals, chunks, own or relayed --> follower's queue short? --yes--> sent
 *                                                           \--no---> not sent, until the queue is short again
 *
 * A follower fetches skipped frames at its own speed. Votes, certificates and heartbeats always go out: they show what to fetch. Members
 * get everything, because the chain waits for them.
 */
import type { Clock, Lane, PeerKey, PeerStatus, Telemetry, Transport } from '@slipstream/ports';
import type { Committee } from '@slipstream/types';
import { memberKeys } from '../member-keys.ts';

/** Two seconds of a busy chain at 8 Mbit/s. */
const SLOW_ABOVE_BYTES: number = 2 * 1024 * 1024;
const FAST_BELOW_BYTES = 256 * 1024;
const CHECK_MS = 100;
/** Sent at most between two checks, plus one frame. */
const CHECK_BYTES: number = 128 * 1024;

interface SlowFollowerComponents {
  readonly transport: Transport;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly telemetry: Telemetry;
}

interface SparingTransport extends Transport {
  /** Another committee is never spared. */
  moved(committee: Committee): void;
}

/** Slow followers get no proposals and no chunks. */
export function spareSlowFollowers(
  { transport, clock, telemetry }: SlowFollowerComponents,
  committee: Committee,
): SparingTransport {
  let isMember = memberKeys(committee);
  let slow: ReadonlySet<PeerKey> = new Set();
  let checkedMs = Number.NEGATIVE_INFINITY;
  let bytesSinceCheck = 0;
  /** A broadcast frame counts once. */
  let last: Uint8Array | undefined;

  function isSlow({ peer, connected, queuedBytes }: PeerStatus): boolean {
    if (!connected || isMember.has(peer)) return false;
    return queuedBytes > (slow.has(peer) ? FAST_BELOW_BYTES : SLOW_ABOVE_BYTES);
  }

  function check(frame: Uint8Array): void {
    if (frame !== last) bytesSinceCheck += frame.length;
    last = frame;
    const nowMs = clock.monotonicMs();
    if (nowMs - checkedMs < CHECK_MS && bytesSinceCheck <= CHECK_BYTES) return;
    checkedMs = nowMs;
    bytesSinceCheck = frame.length;
    const found = new Set<PeerKey>();
    for (const status of transport.peers()) {
      const { peer, queuedBytes } = status;
      if (isSlow(status)) found.add(peer);
      if (found.has(peer) === slow.has(peer)) continue;
      telemetry.event(found.has(peer) ? 'follower.slow' : 'follower.fast', { peer, queuedBytes });
    }
    slow = found;
  }

  function spared(peer: PeerKey, lane: Lane): boolean {
    if (!slow.has(peer) || isMember.has(peer)) return false;
    telemetry.count('consensus_relay_skipped_total', 1, { lane });
    return true;
  }

  return {
    ...transport,
    moved(next) {
      isMember = memberKeys(next);
    },
    send(peer, lane, frame) {
      if (!isBulk(lane) || isMember.has(peer)) return transport.send(peer, lane, frame);
      check(frame);
      return spared(peer, lane) ? false : transport.send(peer, lane, frame);
    },
    broadcast(lane, frame) {
      if (isBulk(lane)) check(frame);
      if (!isBulk(lane) || slow.size === 0) return transport.broadcast(lane, frame);
      for (const { peer, connected, blocked } of transport.peers()) {
        if (connected && !blocked && !spared(peer, lane)) transport.send(peer, lane, frame);
      }
    },
  };
}

function isBulk(lane: Lane): lane is 'proposal' | 'chunk' {
  return lane === 'proposal' || lane === 'chunk';
}
