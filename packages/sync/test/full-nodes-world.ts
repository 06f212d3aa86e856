/** Peers, a clock and a transport that records what is sent. */
import type { Clock, PeerKey, PeerStatus, Random } from '@slipstream/ports';
import { type Committee, createCommittee, decodeFrame, GENESIS_EPOCH, type Subscribe } from '@slipstream/types';

export const peerOf = (index: number) => String(index).repeat(64) as PeerKey;
export const FOLLOWER = 'f'.repeat(64) as PeerKey;
export const member = (index: number) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: peerOf(index) });
export const committeeOfPeers = (peers: readonly number[]): Committee => createCommittee(peers.map(member));
export const committee = committeeOfPeers([0, 1, 2, 3]);

interface Sent {
  readonly to: PeerKey;
  readonly lane: string;
  readonly frame: Uint8Array;
}

export function world() {
  let nowMs = 0;
  let timers: { readonly atMs: number; readonly action: () => void }[] = [];
  const sent: Sent[] = [];
  const connected = new Set<PeerKey>();
  const queuedBytes = new Map<PeerKey, number>();
  const clock: Clock = {
    monotonicMs: () => nowMs,
    wallMs: () => nowMs,
    after(ms, action) {
      const timer = { atMs: nowMs + ms, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  return {
    clock,
    sent,
    connected,
    queuedBytes,
    random: { below: () => 0 } as unknown as Random,
    transport: {
      self: peerOf(0),
      broadcast: (lane: string, frame: Uint8Array) => {
        for (const to of connected) sent.push({ to, lane, frame });
      },
      send: (to: PeerKey, lane: string, frame: Uint8Array) => sent.push({ to, lane, frame }) > 0,
      peers: () =>
        [...connected].map(
          (peer) => ({ peer, connected: true, blocked: false, queuedBytes: queuedBytes.get(peer) ?? 0 }) as PeerStatus,
        ),
    },
    turn(ms: number) {
      for (const untilMs = nowMs + ms; nowMs < untilMs; ) {
        nowMs += 100;
        const due = timers.filter(({ atMs }) => atMs <= nowMs);
        timers = timers.filter(({ atMs }) => atMs > nowMs);
        for (const { action } of due) action();
      }
    },
  };
}

/** A node's last subscriptions, by peer. */
export function subscriptions(sent: readonly Sent[]): ReadonlyMap<PeerKey, Subscribe> {
  const last = new Map<PeerKey, Subscribe>();
  for (const { to, frame } of sent) {
    const decoded = decodeFrame(frame);
    if (decoded.ok && decoded.value.name === 'subscribe') last.set(to, decoded.value.value);
  }
  return last;
}

export const NOTHING: Subscribe = { certificates: false, members: [] };
export const heartbeat = (finalizedHeight: number) => ({
  epoch: GENESIS_EPOCH,
  view: 1,
  finalizedHeight,
  committedHeight: 0,
  refusedView: 0,
});
