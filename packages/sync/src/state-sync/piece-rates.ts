/**
 * Minimum rates of a state sync: a slow peer loses files to others, and an attempt in which all are slow ends.
 *
 *   piece --> of its peer: fewer than the minimum for each file it holds? -----> half as many files, if others may bring them
 *        \--> of all:      fewer than the minimum? ----------------------------> the attempt is over
 *
 * Pieces count, whatever their size: a snapshot may consist of small files.
 */
import type { Clock, PeerKey } from '@slipstream/ports';

export interface PieceRates {
  asked(peer: PeerKey): void;
  brought(peer: PeerKey): void;
  /** No piece: `isEmpty` says that the peer answered. */
  missed(peer: PeerKey, isEmpty: boolean): void;
  /** The peer holds no file: this time is not counted. */
  idle(peer: PeerKey): void;
  /** Files that the peer may hold; a slow one fewer, while another one of the `available` may bring them. */
  limitOf(peer: PeerKey, available: readonly PeerKey[]): number;
  /** Nothing more is to be begun. It may change unless `isOver`. */
  isHopeless(): boolean;
  /** Nothing more is to be asked, for good. */
  isOver(): boolean;
}

/** Below the server's queue for one peer (requests/client.ts). */
const FILES_PER_PEER = 8;
/** Without a piece. */
const PATIENCE_MS = 10_000;
/** Without a piece, when every peer that was asked answered that it does not serve the snapshot: newer ones have taken its place. */
const NOT_SERVED_MS = 2_000;
/** For each file: 256 KiB per second. An honest server's spare time makes several. */
const PEER = { windowMs: 10_000, piecesMin: 10 };
/** Of all peers: 128 KiB per second. Longer, since those that fail pause. */
const ALL = { windowMs: 20_000, piecesMin: 10 };

interface Window {
  readonly sinceMs: number;
  pieces: number;
}

/** `heldBy`: files that are fetched from the peer. */
export function createPieceRates(
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  heldBy: (peer: PeerKey) => number,
): PieceRates {
  const windows = new Map<PeerKey, Window>();
  const limits = new Map<PeerKey, number>();
  const everAsked = new Set<PeerKey>();
  /** Nothing came since the last request that failed. */
  const without = new Set<PeerKey>();
  const notServedBy = new Set<PeerKey>();
  let all: Window = opened();
  let lastPieceMs = all.sinceMs;
  let isOver = false;

  function opened(): Window {
    return { sinceMs: monotonicMs(), pieces: 0 };
  }

  const limit = (peer: PeerKey) => limits.get(peer) ?? FILES_PER_PEER;
  const mayBring = (peer: PeerKey) => limit(peer) > 0 && !without.has(peer);

  function judge(peer: PeerKey): void {
    const window = windows.get(peer);
    if (window === undefined || monotonicMs() - window.sinceMs < PEER.windowMs) return;
    if (window.pieces < PEER.piecesMin * heldBy(peer)) limits.set(peer, Math.min(limit(peer), heldBy(peer)) >> 1);
    windows.set(peer, opened());
  }

  function judgeAll(): void {
    if (monotonicMs() - all.sinceMs < ALL.windowMs) return;
    if (all.pieces < ALL.piecesMin) isOver = true;
    all = opened();
  }

  return {
    asked(peer) {
      everAsked.add(peer);
      if (!windows.has(peer)) windows.set(peer, opened());
    },
    brought(peer) {
      lastPieceMs = monotonicMs();
      notServedBy.clear();
      without.delete(peer);
      all.pieces += 1;
      const window = windows.get(peer);
      if (window) window.pieces += 1;
      judge(peer);
    },
    missed(peer, isEmpty) {
      without.add(peer);
      if (isEmpty) notServedBy.add(peer);
      windows.delete(peer);
    },
    idle: (peer) => void windows.delete(peer),
    limitOf(peer, available) {
      const hasOther = available.some((other) => other !== peer && mayBring(other));
      return hasOther ? limit(peer) : FILES_PER_PEER;
    },
    isHopeless() {
      judgeAll();
      const maybeServed = everAsked.size === 0 || [...everAsked].some((peer) => !notServedBy.has(peer));
      return isOver || monotonicMs() - lastPieceMs > (maybeServed ? PATIENCE_MS : NOT_SERVED_MS);
    },
    isOver() {
      judgeAll();
      return isOver;
    },
  };
}
