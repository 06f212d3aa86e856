/**
 * Attestation: the chunks that a quorum stores, as far as this node knows (D12).
 *
 *   certificate is verified ------------------\
 *   a block that references it is notarized ---> attested --its chunk is here--> reported, once
 *
 * A validator votes only for a block whose chunks are in its log (I6), so the notarization shows for free what a certificate shows for a
 * pairing check.
 */
import type { Clock } from '@slipstream/ports';
import { type BlockId, hexOf } from '@slipstream/types';
import type { Reports } from '../components.ts';
import type { Committees } from '../epochs/committees.ts';
import type { ChunkReferences } from '../proposals/chunk-references.ts';
import type { AttestationWaits } from './attestation-waits.ts';
import type { ChunkStore } from './chunk-store.ts';
import type { StoredChunk } from './stored-chunk.ts';

export interface Attestation {
  /** Its certificate is verified. */
  certified(chunk: string): void;
  /** The block may be unknown yet. */
  notarized(blockId: BlockId): void;
  blockTracked(block: string): void;
  available(chunk: StoredChunk): void;
  has(chunk: string): boolean;
  forget(chunk: string): void;
}

interface AttestationParts {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly reports: Pick<Reports, 'attested'>;
  readonly waits: Pick<AttestationWaits, 'remove'>;
  readonly ackWishes: Pick<AttestationWaits, 'remove'>;
  readonly store: Pick<ChunkStore, 'get'>;
  readonly references: Pick<ChunkReferences, 'chunksOf'>;
  readonly committees: Pick<Committees, 'currentIndexOf'>;
}

/** Notarized blocks whose body is on its way: consensus fetches it within a view or two. */
const UNKNOWN_BLOCKS_MAX = 256;

export function createAttestation(
  { clock, reports, waits, ackWishes, store, references, committees }: AttestationParts,
  { certificatesMax }: { readonly certificatesMax: number },
): Attestation {
  /** Oldest first. */
  const attested = new Set<string>();
  const unknownBlocks = new Set<string>();

  function report({ id, header, ids }: StoredChunk): void {
    waits.remove(ids);
    ackWishes.remove(ids);
    const sinceCreatedMs = Math.max(0, clock.wallMs() - header.createdMs);
    reports.attested?.({
      chunkId: id,
      producer: committees.currentIndexOf(header),
      transactionIds: ids,
      rows: header.rowCount,
      sinceCreatedMs,
    });
  }

  function attest(chunk: string): void {
    if (attested.has(chunk)) return;
    addBounded(attested, chunk, certificatesMax);
    const stored = store.get(chunk);
    if (stored) report(stored);
  }

  return {
    certified: attest,
    notarized(blockId) {
      const block = hexOf(blockId);
      const chunks = references.chunksOf(block);
      if (chunks) chunks.forEach(attest);
      else addBounded(unknownBlocks, block, UNKNOWN_BLOCKS_MAX);
    },
    blockTracked(block) {
      if (unknownBlocks.delete(block)) references.chunksOf(block)?.forEach(attest);
    },
    available(chunk) {
      if (attested.has(chunk.hex)) report(chunk);
    },
    has: (chunk) => attested.has(chunk),
    forget: (chunk) => void attested.delete(chunk),
  };
}

function addBounded(set: Set<string>, value: string, max: number): void {
  set.add(value);
  if (set.size > max) set.delete(set.keys().next().value as string);
}
