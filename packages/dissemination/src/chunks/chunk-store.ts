/**
 * Chunk store: chunks that a node can serve and execute.
 *
 *   pending    not on the final chain: retained until it expires unreferenced (D1); bounded for each sender (member-quota.ts)
 *   committed  on the final chain: bytes only, for peers slightly behind; the oldest goes first
 */
import type { DisseminationEvents } from '../events.ts';
import type { ChunkVerdict } from '../intake/verdict.ts';
import type { DisseminationLimits } from '../limits.ts';
import { createMemberQuota, type MemberQuota } from './member-quota.ts';
import { createSeenHeaders, type SeenHeaders } from './seen-headers.ts';
import type { StoredChunk } from './stored-chunk.ts';

export interface ChunkStore {
  /** `retainedUntilMs`: block timestamp of its expiry when unreferenced; the chunk's own expiry may be far later. */
  put(chunk: StoredChunk, retainedUntilMs: number): void;
  rememberHeader: SeenHeaders['remember'];
  forgetHeader: SeenHeaders['forget'];
  firstHeader: SeenHeaders['first'];
  forgetHeadersBefore: SeenHeaders['forgetBefore'];
  /** Pending only. */
  get(hex: string): StoredChunk | undefined;
  bytesOf(hex: string): Uint8Array | undefined;
  /** Of pending chunks that were requested by id. */
  fetchedBytes(): number;
  quotaBytesLeft: MemberQuota['bytesLeft'];
  quotaUsed: MemberQuota['shareUsed'];
  /** Calls `verify` once. A failure is not remembered. */
  verdicts(chunk: StoredChunk, verify: Verify): Promise<readonly ChunkVerdict[]>;
  /** Oldest first. */
  pending(): Iterable<StoredChunk>;
  /** A batch of it is false (D23). True the first time, while it is pending. */
  refuse(hex: string): boolean;
  isRefused(hex: string): boolean;
  /** On the final chain, with its bytes retained. */
  isCommitted(hex: string): boolean;
  commit(hex: string): void;
  /** Removes unreferenced pending chunks that no block from this timestamp on may reference; returns their number. */
  expire(timestampMs: number, isReferenced: (hex: string) => boolean): number;
  /** Pending chunks need no earlier log records; undefined: none is pending. */
  logFloor(): number | undefined;
  stats(): ChunkCounts;
}

/** stored = committed + expired + pending. */
export interface ChunkCounts {
  /** stored = committed + expired + pending. */
  readonly stored: number;
  readonly committed: number;
  readonly expired: number;
  /** Now. */
  readonly pending: number;
  readonly pendingBytes: number;
  /** Committed, with bytes in memory. */
  readonly retained: number;
}

export type Verify = () => Promise<readonly ChunkVerdict[]>;

export function createChunkStore(
  limits: Pick<DisseminationLimits, 'producerBytesMax' | 'producerChunksMax' | 'retainedBytesMax'>,
  producers: () => number,
  events: Pick<DisseminationEvents, 'chunkGone'>,
): ChunkStore {
  const pending = new Map<string, StoredChunk>();
  const retainedUntil = new Map<string, number>();
  const committed = new Map<string, Uint8Array>();
  const refused = new Set<string>();
  const verdicts = new Map<string, Promise<readonly ChunkVerdict[]>>();
  const headers = createSeenHeaders();
  const quota = createMemberQuota(limits, producers);
  const counts = { stored: 0, committed: 0, expired: 0 };
  let committedBytes = 0;
  let fetchedBytes = 0;

  function takePending(hex: string): StoredChunk | undefined {
    const chunk = pending.get(hex);
    if (chunk === undefined) return undefined;
    pending.delete(hex);
    retainedUntil.delete(hex);
    verdicts.delete(hex);
    refused.delete(hex);
    quota.remove(chunk);
    if (isFetched(chunk)) fetchedBytes -= chunk.bytes.length;
    events.chunkGone(chunk);
    return chunk;
  }

  function commit(hex: string): void {
    const chunk = takePending(hex);
    if (chunk === undefined) return;
    counts.committed++;
    committed.set(hex, chunk.bytes);
    committedBytes += chunk.bytes.length;
    for (const [oldest, bytes] of committed) {
      if (committedBytes <= limits.retainedBytesMax) break;
      committed.delete(oldest);
      committedBytes -= bytes.length;
    }
  }

  function expire(timestampMs: number, isReferenced: (hex: string) => boolean): number {
    const due = [...retainedUntil].filter(([hex, untilMs]) => untilMs <= timestampMs && !isReferenced(hex));
    for (const [hex] of due) takePending(hex);
    counts.expired += due.length;
    return due.length;
  }

  function verdictsOn({ hex }: StoredChunk, verify: Verify): Promise<readonly ChunkVerdict[]> {
    const known = verdicts.get(hex);
    if (known) return known;
    const asked = verify();
    if (!pending.has(hex)) return asked;
    verdicts.set(hex, asked);
    asked.catch(() => verdicts.delete(hex));
    return asked;
  }

  return {
    put(chunk, retainedUntilMs) {
      if (pending.has(chunk.hex) || committed.has(chunk.hex)) return;
      pending.set(chunk.hex, chunk);
      retainedUntil.set(chunk.hex, retainedUntilMs);
      counts.stored++;
      quota.add(chunk);
      if (isFetched(chunk)) fetchedBytes += chunk.bytes.length;
    },
    rememberHeader: headers.remember,
    forgetHeader: headers.forget,
    firstHeader: headers.first,
    forgetHeadersBefore: headers.forgetBefore,
    get: (hex) => pending.get(hex),
    bytesOf: (hex) => pending.get(hex)?.bytes ?? committed.get(hex),
    fetchedBytes: () => fetchedBytes,
    quotaBytesLeft: quota.bytesLeft,
    quotaUsed: quota.shareUsed,
    verdicts: verdictsOn,
    pending: () => pending.values(),
    refuse(hex) {
      if (!pending.has(hex) || refused.has(hex)) return false;
      refused.add(hex);
      return true;
    },
    isRefused: (hex) => refused.has(hex),
    isCommitted: (hex) => committed.has(hex),
    commit,
    expire,
    logFloor() {
      let floor: number | undefined;
      for (const { logSequence } of pending.values()) floor = Math.min(floor ?? logSequence, logSequence);
      return floor;
    },
    stats: () => ({ ...counts, pending: pending.size, pendingBytes: quota.bytes, retained: committed.size }),
  };
}

function isFetched({ origin, chargedTo }: StoredChunk): boolean {
  return origin === 'served' && chargedTo === undefined;
}
