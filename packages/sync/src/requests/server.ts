/**
 * Sync server: answers from memory, then from the archive; one request of a peer at a time, the rest in a short queue.
 *
 *   request --> queue of the peer --follower's unsent bytes below limit?--> queue of long answers --> answer --> next
 *
 * An answer is a thousand times as large as its request, and any key may follow, so a follower's unsent bytes and work are bounded. Members
 * are always served, because the chain needs them; artifacts have a quota for each peer, since all that a chain names are few.
 */
import type { Clock, FrameSender, PeerKey, PeerStatus, Telemetry, Transport } from '@slipstream/ports';
import { createRateLimiter, type OutgoingFrame, unreachable } from '@slipstream/primitives';
import {
  asId,
  type BlockId,
  blockCodec,
  type ChunkId,
  type Committee,
  outgoingFrame,
  type StateDigest,
  SYNC_BLOCKS_MAX,
  SYNC_CERTIFICATES_MAX,
  SYNC_RESPONSE_BYTES_MAX,
  type SyncRequest,
  type SyncResponse,
  view,
} from '@slipstream/types';
import { memberKeys } from '../member-keys.ts';
import { createAnswerQueue } from './answer-queue.ts';
import type { Archive, ChainTip } from './archive.ts';
import { REQUESTS_WAITING_AT_SERVER_MAX } from './client.ts';

/** A follower above it gets no answer: twice the limit of slow-followers.ts. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
const CHECK_AGAIN_MS = 20;

/** A quarter of the thread for members, an eighth for others. */
const REST_MEMBERS = 3;
const REST_FOLLOWERS = 7;

/** Pieces of artifacts: eight artifacts twice, and one more each second. */
const PIECES = { perSecond: 1, burst: 64 };
/** All followers together, since any key may follow: 4 MiB per second. */
const PIECES_OF_FOLLOWERS = { perSecond: 16, burst: 256 };
/** Above the largest committee. */
const QUOTAS_MAX = 2_048;
const FOLLOWERS = 'followers';

interface SyncServerComponents {
  readonly transport: Pick<FrameSender, 'send'> & Pick<Transport, 'peers'>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly telemetry: Telemetry;
}

interface SyncServer {
  onRequest(from: PeerKey, request: SyncRequest): void;
}

export function createSyncServer(
  tip: Pick<ChainTip, 'blockById' | 'certificatesInRange'>,
  archive: Archive,
  { transport, clock, telemetry }: SyncServerComponents,
  committee: Committee,
): SyncServer {
  const isMember = memberKeys(committee);
  const memberAnswers = createAnswerQueue(clock, REST_MEMBERS);
  const followerAnswers = createAnswerQueue(clock, REST_FOLLOWERS);
  const mayHavePiece = createPieceQuota(clock, isMember);
  const lines = new Map<PeerKey, SyncRequest[]>();
  /** Followers above WAITING_BYTES_MAX, with their continuation; one timer checks all. */
  const full = new Map<PeerKey, (hasSpace: boolean) => void>();

  function onRequest(from: PeerKey, request: SyncRequest): void {
    const line = lines.get(from);
    if (line) {
      if (line.length < REQUESTS_WAITING_AT_SERVER_MAX) line.push(request);
      else telemetry.count('consensus_sync_refused_total');
      return;
    }
    const fresh = [request];
    lines.set(from, fresh);
    void serve(from, fresh);
  }

  async function serve(to: PeerKey, line: SyncRequest[]): Promise<void> {
    for (let request = line.shift(); request; request = line.shift()) {
      if (!isMember.has(to) && !(await waitForSpace(to))) break;
      try {
        transport.send(to, 'sync', await frameFor(to, request));
      } catch (error) {
        telemetry.log('warn', 'a sync request could not be served', { query: request.query, error: String(error) });
      }
    }
    lines.delete(to);
  }

  function frameFor(to: PeerKey, request: SyncRequest): Promise<OutgoingFrame> {
    const made = async () => outgoingFrame('syncResponse', await answer(to, request));
    if (isMember.has(to)) return isLong(request) ? memberAnswers(made) : made();
    return isLong(request) || request.query === 'block' ? followerAnswers(made) : made();
  }

  /** False: the follower disconnected. */
  async function waitForSpace(follower: PeerKey): Promise<boolean> {
    const now = verdictOn(transport.peers().find(({ peer }) => peer === follower));
    if (now !== undefined) return now;
    if (full.size === 0) clock.after(CHECK_AGAIN_MS, checkAgain);
    return new Promise((resolve) => full.set(follower, resolve));
  }

  function checkAgain(): void {
    const peers = new Map(transport.peers().map((status) => [status.peer, status]));
    for (const [follower, goOn] of full) {
      const verdict = verdictOn(peers.get(follower));
      if (verdict === undefined) continue;
      full.delete(follower);
      goOn(verdict);
    }
    if (full.size > 0) clock.after(CHECK_AGAIN_MS, checkAgain);
  }

  async function answer(to: PeerKey, request: SyncRequest): Promise<SyncResponse> {
    const { requestId, query, from } = request;
    const nothing = { requestId, blocks: [], certificates: [], chunks: [], more: false };
    switch (query) {
      case 'block': {
        const id = asId<BlockId>(request.id);
        const block = tip.blockById(id) ?? (await archive.blockById(id));
        return { ...nothing, blocks: block ? [block] : [] };
      }
      case 'certificates':
        return {
          ...nothing,
          certificates: tip.certificatesInRange(view(from), view(request.to), SYNC_CERTIFICATES_MAX),
        };
      case 'finalized': {
        const { blocks, certificates } = await rangeWithinBytes(from, request.to);
        const last = blocks.find(({ next }) => next !== undefined) ?? blocks[blocks.length - 1]; // fillers follow
        return { ...nothing, blocks, certificates, more: last !== undefined && last.height < request.to };
      }
      case 'chunk': {
        const chunk = await archive.chunkById(asId<ChunkId>(request.id));
        return { ...nothing, chunks: chunk ? [chunk] : [] };
      }
      case 'snapshot': {
        const manifest = await archive.snapshots?.manifest();
        return { ...nothing, chunks: manifest ? [manifest] : [] };
      }
      case 'snapshotPiece': {
        const piece = await archive.snapshots?.piece(asId<StateDigest>(request.id), from, request.to);
        return { ...nothing, chunks: piece ? [piece] : [] };
      }
      case 'receipts': {
        const found = await archive.snapshots?.receipts(from, request.to);
        return found ? { ...nothing, blocks: found.blocks, chunks: found.parts } : nothing;
      }
      case 'epochs': {
        const served = await archive.epochs?.(from, request.to);
        return { ...nothing, chunks: served?.bytes ? [served.bytes] : [], more: served?.more ?? false };
      }
      case 'artifact': {
        const piece = archive.artifact?.(request.id, from);
        return piece && mayHavePiece(to) ? { ...nothing, chunks: [piece.bytes], more: piece.more } : nothing;
      }
      case 'segment':
        return { ...nothing, chunks: (await archive.segment?.(asId<BlockId>(request.id))) ?? [] };
      default:
        return unreachable(query, 'sync query');
    }
  }

  /** Halves the range: sizes of blocks differ by three orders of magnitude. */
  async function rangeWithinBytes(from: number, to: number) {
    for (let limit = SYNC_BLOCKS_MAX; ; limit = Math.floor(limit / 2)) {
      const range = await archive.finalizedRange(from, to, limit);
      const bytes = range.blocks.reduce((sum, block) => sum + blockCodec.encode(block).length, 0);
      if (bytes <= SYNC_RESPONSE_BYTES_MAX || limit <= 1) return range;
    }
  }

  return { onRequest };
}

/** What it returns takes a piece of the peer's quota; false: none is left. */
function createPieceQuota(
  clock: Pick<Clock, 'monotonicMs'>,
  isMember: ReturnType<typeof memberKeys>,
): (peer: PeerKey) => boolean {
  const pieces = createRateLimiter<PeerKey | typeof FOLLOWERS>(clock, {
    rate: (peer) => (peer === FOLLOWERS ? PIECES_OF_FOLLOWERS : PIECES),
    keysMax: QUOTAS_MAX,
  });
  return (peer) => {
    if (!isMember.has(peer) && pieces.left(FOLLOWERS) < 1) return false;
    if (!pieces.take(peer)) return false;
    if (!isMember.has(peer)) pieces.charge(FOLLOWERS, 1);
    return true;
  };
}

/** Encoded for the answer; stored bytes cost little. */
function isLong({ query }: SyncRequest): boolean {
  return query === 'finalized' || query === 'certificates' || query === 'epochs';
}

/** Whether to answer; undefined: too many unsent bytes. */
function verdictOn(status: PeerStatus | undefined): boolean | undefined {
  if (!status?.connected) return false;
  return status.queuedBytes <= WAITING_BYTES_MAX ? true : undefined;
}
