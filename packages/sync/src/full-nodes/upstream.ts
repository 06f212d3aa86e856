/**
 * Upstream: the validator that a full node follows (sync.md, "Full nodes").
 *
 *   choose among connected members --subscribe--> followed --unresponsive, behind, withholding, blocked, lost--> choose another
 *
 * The others stay connected without a subscription, so a change costs one small frame. A node connected to all members needs no upstream.
 */
import { believedHeight } from '@slipstream/consensus';
import type { Clock, FrameSender, PeerKey, PeerStatus, Random, Telemetry, Transport } from '@slipstream/ports';
import { type Committee, type Heartbeat, isQuorum, outgoingFrame, type Subscribe, weightOf } from '@slipstream/types';
import type { ChainTip } from '../requests/archive.ts';

/** Three heartbeats. */
const UNRESPONSIVE_MS = 3000;
/** By which others are ahead of an upstream that is behind or withholds. */
const BEHIND_HEIGHTS = 8;
/** How long it may report a height that is behind. */
const BEHIND_MS = 3000;
/** How long it may send nothing new while others are ahead: longer than a busy node takes to start catching up. */
const STALLED_MS = 8000;
/**
 * How long fetched ranges may keep this node near the others: an honest upstream leaves no such gap. Ranges further apart fill single gaps.
 */
const PATCHED_MS = 20_000;
const PATCHES_APART_MS = 10_000;
/** For a failed upstream, while there are others. */
const AVOID_MS = 30_000;
const CHECK_MS = 500;
/**
 * Between repeated subscriptions. One may be lost or refused, or predate the validator's restart, and a node that lives on fetches is never
 * far enough behind to change its upstream.
 */
const ASK_AGAIN_MS = 5000;

interface UpstreamComponents {
  readonly transport: Pick<FrameSender, 'send'> & Pick<Transport, 'peers'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly tip: Pick<ChainTip, 'finalizedHeight'>;
}

interface Upstream {
  start(): void;
  onMessage(from: PeerKey): void;
  heartbeat(from: PeerKey, heartbeat: Heartbeat): void;
  fetchedRange(): void;
  /** A connection opened or closed, or a peer was blocked. */
  changed(): void;
  /** The followed validator stays if it is a member of the next committee. */
  moved(committee: Committee): void;
  stop(): void;
}

interface Followed {
  readonly peer: PeerKey;
  readonly sinceMs: number;
  wanted: Subscribe;
  requestedMs: number;
}

export function createUpstream(components: UpstreamComponents, first: Committee): Upstream {
  const { transport, clock, random, telemetry, tip } = components;
  const lastMessageMs = new Map<PeerKey, number>();
  const reported = new Map<PeerKey, number>();
  const avoidUntilMs = new Map<PeerKey, number>();
  let committee = first;
  let weights = weightsOf(first);
  let followed: Followed | undefined;
  /** Highest final height here, and when it rose. */
  let highest = { height: -1, atMs: 0 };
  /** The last fetched range, and since when ranges keep this node near the others. */
  let rangeMs = Number.NEGATIVE_INFINITY;
  let patchedSinceMs: number | undefined;
  let cancel = () => {};
  let running = false;

  const connectedMembers = () => openMembers(transport.peers(), weights);

  /** Undefined: no change needed. */
  function faultOf({ peer, sinceMs }: Followed, connected: readonly PeerKey[]): string | undefined {
    const nowMs = clock.monotonicMs();
    if (!connected.includes(peer)) return 'lost';
    if (nowMs - Math.max(sinceMs, lastMessageMs.get(peer) ?? 0) > UNRESPONSIVE_MS) return 'unresponsive';
    const best = bestOf(connected, reported, weights);
    const sinceRisenMs = nowMs - Math.max(sinceMs, highest.atMs);
    if (best <= highest.height + BEHIND_HEIGHTS) {
      const isPatched = nowMs - Math.max(sinceMs, patchedSinceMs ?? nowMs) > PATCHED_MS;
      return isPatched ? 'withholding' : undefined;
    }
    const isBehind = best > (reported.get(peer) ?? 0) + BEHIND_HEIGHTS;
    if (isBehind && sinceRisenMs > BEHIND_MS) return 'behind';
    return sinceRisenMs > STALLED_MS ? 'withholding' : undefined;
  }

  function check(): void {
    if (!running) return;
    const nowMs = clock.monotonicMs();
    const height = tip.finalizedHeight();
    if (height > highest.height) highest = { height, atMs: nowMs };
    const connected = connectedMembers();
    const isNear = bestOf(connected, reported, weights) <= highest.height + BEHIND_HEIGHTS;
    if (!isNear || nowMs - rangeMs > PATCHES_APART_MS) patchedSinceMs = undefined;
    else patchedSinceMs ??= nowMs;
    const fault = followed && faultOf(followed, connected);
    if (followed && fault !== undefined) leave(followed, fault);
    const wanted = wantedFrom(committee, connected);
    if (followed === undefined) follow(choose(connected), wanted);
    else if (!sameWishes(followed.wanted, wanted) || isToAskAgain(followed)) request(followed, wanted);
  }

  function choose(connected: readonly PeerKey[]): PeerKey | undefined {
    const best = bestOf(connected, reported, weights);
    const sound = connected.filter((peer) => (avoidUntilMs.get(peer) ?? 0) <= clock.monotonicMs());
    const current = sound.filter((peer) => (reported.get(peer) ?? best) + BEHIND_HEIGHTS >= best);
    const among = [current, sound, connected].find((peers) => peers.length > 0);
    return among?.[random.below(among.length)];
  }

  function follow(peer: PeerKey | undefined, wanted: Subscribe): void {
    if (peer === undefined) return;
    const nowMs = clock.monotonicMs();
    followed = { peer, sinceMs: nowMs, wanted, requestedMs: nowMs };
    request(followed, wanted);
    telemetry.event('upstream.chosen', { peer, certificates: wanted.certificates, members: wanted.members });
    telemetry.log('info', `following validator ${peer}`, { peer });
  }

  function isToAskAgain({ wanted, requestedMs }: Followed): boolean {
    const isWanted = wanted.certificates || wanted.members.length > 0;
    return isWanted && clock.monotonicMs() - requestedMs >= ASK_AGAIN_MS;
  }

  function request(of: Followed, wanted: Subscribe): void {
    of.wanted = wanted;
    of.requestedMs = clock.monotonicMs();
    transport.send(of.peer, 'consensus', outgoingFrame('subscribe', wanted));
  }

  function leave({ peer }: Followed, reason: string): void {
    followed = undefined;
    avoidUntilMs.set(peer, clock.monotonicMs() + AVOID_MS);
    transport.send(peer, 'consensus', outgoingFrame('subscribe', { certificates: false, members: [] }));
    telemetry.count('consensus_upstream_changes_total', 1, { reason });
    telemetry.log('warn', `the upstream ${peer} is ${reason}: turning to another`, { peer, reason });
  }

  function checkAgain(): void {
    check();
    cancel = clock.after(CHECK_MS, checkAgain);
  }

  return {
    start() {
      running = true;
      checkAgain();
    },
    onMessage: (from) => {
      if (weights.has(from)) lastMessageMs.set(from, clock.monotonicMs());
    },
    heartbeat(from, heartbeat) {
      if (weights.has(from)) reported.set(from, heartbeat.finalizedHeight);
    },
    fetchedRange() {
      rangeMs = clock.monotonicMs();
    },
    changed: check,
    moved(next) {
      committee = next;
      weights = weightsOf(next);
      for (const known of [lastMessageMs, reported, avoidUntilMs]) keepOnly(known, weights);
      // Its wishes name members by index.
      if (followed) followed.requestedMs = Number.NEGATIVE_INFINITY;
      check();
    },
    stop() {
      running = false;
      cancel();
    },
  };
}

function openMembers(statuses: readonly PeerStatus[], weights: ReadonlyMap<PeerKey, number>): readonly PeerKey[] {
  const isOpen = ({ peer, connected, blocked }: PeerStatus) => connected && !blocked && weights.has(peer);
  return statuses.flatMap((status) => (isOpen(status) ? [status.peer] : []));
}

function keepOnly(known: Map<PeerKey, number>, members: ReadonlyMap<PeerKey, number>): void {
  for (const peer of known.keys()) if (!members.has(peer)) known.delete(peer);
}

function weightsOf({ members }: Committee): ReadonlyMap<PeerKey, number> {
  return new Map(members.map(({ peerKey, weight }) => [peerKey, weight]));
}

function sameWishes(a: Subscribe, b: Subscribe): boolean {
  return a.certificates === b.certificates && a.members.join() === b.members.join();
}

function wantedFrom(committee: Committee, connected: readonly PeerKey[]): Subscribe {
  const isConnected = (peer: PeerKey) => connected.includes(peer);
  const there = committee.members.filter(({ peerKey }) => isConnected(peerKey)).map(({ index }) => index);
  const members = committee.members.flatMap(({ index, peerKey }) => (isConnected(peerKey) ? [] : [index]));
  return { certificates: !isQuorum(weightOf(there, committee), committee), members };
}

/** Of the connected members, as believed. */
function bestOf(
  connected: readonly PeerKey[],
  reported: ReadonlyMap<PeerKey, number>,
  weights: ReadonlyMap<PeerKey, number>,
): number {
  const heights = connected.map((peer) => ({ height: reported.get(peer), weight: weights.get(peer) ?? 0 }));
  return believedHeight(heights.flatMap(({ height, weight }) => (height === undefined ? [] : [{ height, weight }])));
}
