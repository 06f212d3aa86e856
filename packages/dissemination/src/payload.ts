/**
 * Payloads: which chunks a block references, as its leader builds it and as every validator checks it (consensus.md, rule 4).
 *
 * Valid: the root is right; no chunk twice, here or in an ancestor (D2); every chunk here, unexpired by the block's timestamp and
 * not beyond its window; all units within the block's limits; certificates, where there are any, hold. What the transactions
 * are does not matter: a bad one is skipped (D3).
 *
 * The verdict depends on the block and its ancestors alone, so honest validators agree on it. What is not known yet (an
 * ancestor, a chunk) is waited for, never judged.
 */
import type { PeerKey, Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  addUnits,
  BLOCK_CHUNKS_MAX,
  type Block,
  type BlockId,
  type ChunkReference,
  type Committee,
  chunkAckMessage,
  type Genesis,
  type GenesisHash,
  hexOf,
  isQuorum,
  NO_UNITS,
  payloadRootOf,
  UNIT_DIMENSIONS,
  type Units,
  weightOf,
} from '@slipstream/types';
import { type ChunkBuilder, selectTransactions } from './chunk-builder.ts';
import type { ChunkStore, StoredChunk } from './chunk-store.ts';
import type { ChunkWants } from './chunk-wants.ts';
import { DisseminationError } from './errors.ts';
import { type DisseminationLimits, REFERENCE_WINDOW_MS } from './limits.ts';
import type { Mempool } from './mempool.ts';
import type { ReferenceBook } from './reference-book.ts';

/** As consensus asks (its Application). */
export interface PayloadRequest {
  readonly parentId: BlockId;
  readonly timestampMs: number;
}

export type PayloadVerdict = { readonly type: 'valid' } | { readonly type: 'invalid'; readonly reason: string };

export interface Payloads {
  build(request: PayloadRequest): Promise<readonly ChunkReference[]>;
  check(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict>;
  /** Every chunk of a payload, in order, once all are here. Rejects with the signal's reason. */
  chunksOf(block: Block, signal: AbortSignal): Promise<readonly StoredChunk[]>;
}

export interface PayloadParts {
  readonly pool: Mempool;
  readonly store: ChunkStore;
  readonly book: ReferenceBook;
  readonly wants: ChunkWants;
  readonly verifier: Pick<Verifier, 'checkCertificate'>;
  /** Undefined on a full node. */
  readonly builder: ChunkBuilder | undefined;
}

export interface PayloadSetting {
  readonly genesis: Pick<Genesis, 'fees'>;
  readonly genesisHash: GenesisHash;
  readonly committee: Committee;
  readonly memberIndex: number | undefined;
  readonly limits: Pick<DisseminationLimits, 'chunkTransactionsMax'>;
}

/** Own chunks of abandoned blocks that one payload takes up again. */
const REUSED_CHUNKS_MAX = 4;

const VALID: PayloadVerdict = { type: 'valid' };

export function createPayloads(parts: PayloadParts, setting: PayloadSetting): Payloads {
  const { book, wants } = parts;
  const { committee } = setting;
  const build = oneAtATime((request: PayloadRequest) => buildPayload(parts, setting, request));

  function chunksOf(block: Block, signal: AbortSignal): Promise<readonly StoredChunk[]> {
    const proposer = committee.members[block.proposer];
    return Promise.all(
      block.payload.map(({ chunkId, certificate }) => {
        const holders = certificate?.signers.map((signer) => committee.members[signer]?.peerKey) ?? [];
        const hint = [proposer?.peerKey, ...holders].filter((peer): peer is PeerKey => peer !== undefined);
        return wants.want(chunkId, hint, signal);
      }),
    );
  }

  async function check(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict> {
    const form = faultOfForm(block) ?? (await faultOfCertificates(block, parts.verifier, setting));
    if (form !== undefined) return invalid(form);
    const referenced = await referencedByAncestors(block, signal);
    const twice = block.payload.find(({ chunkId }) => referenced.has(hexOf(chunkId)));
    if (twice) return invalid(`an ancestor references chunk ${hexOf(twice.chunkId)}`);
    const chunks = await chunksOf(block, signal);
    const fault = faultOfChunks(chunks, block, setting.genesis.fees.limits);
    if (fault !== undefined) return invalid(fault);
    book.note(blockId, block);
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

  return { build, check, chunksOf };
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

async function faultOfCertificates(
  { payload }: Block,
  verifier: Pick<Verifier, 'checkCertificate'>,
  { committee, genesisHash }: Pick<PayloadSetting, 'committee' | 'genesisHash'>,
): Promise<string | undefined> {
  const faults = await Promise.all(
    payload.map(async ({ chunkId, certificate }) => {
      if (certificate === undefined) return undefined;
      const { signers, aggregate } = certificate;
      const last = signers[signers.length - 1];
      const known = last !== undefined && last < committee.members.length;
      if (!known || !isQuorum(weightOf(signers, committee), committee)) return 'a chunk certificate lacks a quorum';
      const message = chunkAckMessage(genesisHash, chunkId);
      const holds = await verifier.checkCertificate({ message, signers, aggregate }, 'block');
      return holds ? undefined : 'a chunk certificate does not hold';
    }),
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

/**
 * Own chunks that an abandoned block referenced first, as far as most of their transactions still wait; then one new chunk of
 * the oldest transactions. In the simple form a leader packs from its own pool; certified chunks of others join here.
 */
async function buildPayload(
  { pool, store, book, builder }: PayloadParts,
  { genesis, memberIndex, limits }: PayloadSetting,
  { parentId, timestampMs }: PayloadRequest,
): Promise<readonly ChunkReference[]> {
  if (builder === undefined || memberIndex === undefined) {
    throw new DisseminationError('not-a-validator', 'a full node builds no payloads', {});
  }
  const { missing, referenced, uncommitted } = book.ancestry(parentId, timestampMs);
  const excluded = new Set<string>();
  const exclude = (chunk: StoredChunk) => {
    for (const { id } of chunk.transactions) excluded.add(hexOf(id));
  };
  for (const hex of uncommitted) {
    const chunk = store.get(hex);
    if (chunk) exclude(chunk);
  }
  const waits = ({ id }: { readonly id: Parameters<typeof hexOf>[0] }) =>
    pool.has(hexOf(id)) && !excluded.has(hexOf(id));
  const payload: ChunkReference[] = [];
  let unitsLeft: Units = genesis.fees.limits;
  const include = (chunk: StoredChunk) => {
    payload.push({ chunkId: chunk.id, certificate: undefined });
    unitsLeft = unitsLeft.map((left, i) => left - (chunk.header.units[i] as number));
    exclude(chunk);
  };

  for (const chunk of missing === undefined ? store.pendingOf(memberIndex) : []) {
    const { header, transactions, hex } = chunk;
    const fits = header.units.every((units, i) => units <= (unitsLeft[i] as number));
    const inTime = header.expiryMs > timestampMs && header.expiryMs <= timestampMs + REFERENCE_WINDOW_MS;
    if (payload.length >= REUSED_CHUNKS_MAX || !fits || !inTime || referenced.has(hex)) continue;
    if (2 * transactions.filter(waits).length > transactions.length) include(chunk);
  }
  const isExcluded = (id: string) => excluded.has(id);
  const { chunkTransactionsMax: transactionsMax } = limits;
  const selected = selectTransactions(pool, { timestampMs, isExcluded, transactionsMax, unitsLeft });
  if (selected.transactions.length > 0) include(await builder.build(selected, timestampMs));
  return payload;
}

/** Calls wait for those before them: two payloads under way at once would pack the same transactions twice. */
function oneAtATime<A, T>(work: (argument: A) => Promise<T>): (argument: A) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (argument) => {
    const result = last.then(() => work(argument));
    last = result.catch(() => undefined); // its caller is told
    return result;
  };
}
