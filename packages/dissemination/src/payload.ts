/**
 * Payloads: which chunks a block may reference, as every validator checks it (consensus.md, rule 4).
 *
 * Valid: the root is right; no chunk twice, here or in an ancestor (D2); every chunk here, unexpired by the block's timestamp and
 * not beyond its window; all units within the block's limits; certificates, where there are any, hold. What the transactions
 * are does not matter: a bad one is skipped (D3).
 *
 * The verdict depends on the block and its ancestors alone, so honest validators agree on it. What is not known yet (an
 * ancestor, a chunk) is waited for, never judged.
 */
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  addUnits,
  BLOCK_CHUNKS_MAX,
  type Block,
  type BlockId,
  type Committee,
  type Genesis,
  hexOf,
  NO_UNITS,
  payloadRootOf,
  UNIT_DIMENSIONS,
  type Units,
} from '@slipstream/types';
import type { Certificates } from './certificates.ts';
import type { StoredChunk } from './chunk-store.ts';
import type { ChunkWants } from './chunk-wants.ts';
import { REFERENCE_WINDOW_MS } from './limits.ts';
import type { Optimism } from './optimism.ts';
import type { ReferenceBook } from './reference-book.ts';

export type PayloadVerdict = { readonly type: 'valid' } | { readonly type: 'invalid'; readonly reason: string };

export interface Payloads {
  check(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict>;
  /** Every chunk of a payload, in order, once all are here. Rejects with the signal's reason. */
  chunksOf(block: Block, signal: AbortSignal): Promise<readonly StoredChunk[]>;
}

export interface PayloadParts {
  readonly book: ReferenceBook;
  readonly wants: ChunkWants;
  readonly certificates: Pick<Certificates, 'of' | 'faultOf'>;
  readonly optimism: Pick<Optimism, 'noted'>;
}

export interface PayloadSetting {
  readonly genesis: Pick<Genesis, 'fees'>;
  readonly committee: Committee;
}

const VALID: PayloadVerdict = { type: 'valid' };

export function createPayloads(parts: PayloadParts, setting: PayloadSetting): Payloads {
  const { book, wants, certificates, optimism } = parts;
  const { committee } = setting;

  function chunksOf(block: Block, signal: AbortSignal): Promise<readonly StoredChunk[]> {
    const proposer = committee.members[block.proposer];
    return Promise.all(
      block.payload.map(({ chunkId, certificate }) => {
        const holders =
          (certificate ?? certificates.of(hexOf(chunkId)))?.signers.map(
            (signer) => committee.members[signer]?.peerKey,
          ) ?? [];
        const hint = [proposer?.peerKey, ...holders].filter((peer): peer is PeerKey => peer !== undefined);
        return wants.want(chunkId, hint, signal);
      }),
    );
  }

  async function check(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict> {
    const form = faultOfForm(block) ?? (await faultOfCertificates(block, certificates));
    if (form !== undefined) return invalid(form);
    const referenced = await referencedByAncestors(block, signal);
    const twice = block.payload.find(({ chunkId }) => referenced.has(hexOf(chunkId)));
    if (twice) return invalid(`an ancestor references chunk ${hexOf(twice.chunkId)}`);
    const chunks = await chunksOf(block, signal);
    const fault = faultOfChunks(chunks, block, setting.genesis.fees.limits);
    if (fault !== undefined) return invalid(fault);
    book.note(blockId, block);
    optimism.noted(block);
    return VALID;
  }

  async function referencedByAncestors(block: Block, signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (block.payload.length === 0) return new Set();
    for (;;) {
      const { missing, referenced } = book.ancestry(block.parentId, block.timestampMs);
      if (missing === undefined) return referenced;
      await book.known(missing, signal);
    }
  }

  return { check, chunksOf };
}

function invalid(reason: string): PayloadVerdict {
  return { type: 'invalid', reason };
}

function faultOfForm({ payload, payloadRoot }: Block): string | undefined {
  if (payload.length > BLOCK_CHUNKS_MAX) return `${payload.length} chunks, at most ${BLOCK_CHUNKS_MAX} are allowed`;
  if (!bytesEqual(payloadRootOf(payload), payloadRoot)) return 'the payload root is of another payload';
  const distinct = new Set(payload.map(({ chunkId }) => hexOf(chunkId)));
  return distinct.size === payload.length ? undefined : 'a chunk is referenced twice';
}

async function faultOfCertificates({ payload }: Block, certificates: Pick<Certificates, 'faultOf'>) {
  const faults = await Promise.all(
    payload.map(({ chunkId, certificate }) => certificate && certificates.faultOf(chunkId, certificate)),
  );
  return faults.find((fault) => fault !== undefined);
}

function faultOfChunks(chunks: readonly StoredChunk[], { timestampMs }: Block, limits: Units): string | undefined {
  let units = NO_UNITS;
  for (const { header, hex } of chunks) {
    if (header.expiryMs <= timestampMs) return `chunk ${hex} expired at ${header.expiryMs}`;
    if (header.expiryMs > timestampMs + REFERENCE_WINDOW_MS) return `chunk ${hex} expires only at ${header.expiryMs}`;
    units = addUnits(units, header.units);
  }
  const over = UNIT_DIMENSIONS.find((_, i) => (units[i] as number) > (limits[i] as number));
  return over && `its chunks take more ${over} units than a block may`;
}
