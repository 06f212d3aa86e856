/**
 * Chunk builder: packs the oldest transactions of the pool into a chunk, logs it, signs it, and sends it.
 *
 *   select --> reserve the sequence --> log the header --> sign --> log the chunk --> sync --> broadcast
 *
 * INVARIANT (I3): a header is durable before it leaves, and no sequence is used twice, also across restarts. The chunk is in
 * the log when `build` returns (I6): whoever signs for a block with it syncs the log anyway, and shares that sync.
 */
import type { Signer, Telemetry, Transport } from '@slipstream/ports';
import { assert, sha256 } from '@slipstream/primitives';
import {
  addUnits,
  CHUNK_BYTES_MAX,
  type ChunkHeader,
  chunkBodyCodec,
  chunkHeaderCodec,
  chunkIdOf,
  chunkMessage,
  EPOCH,
  encodeFrame,
  type GenesisHash,
  hexOf,
  NO_UNITS,
  type PreparedTransaction,
  signedChunkCodec,
  TRANSACTION_LIFE_MS_MAX,
  type Units,
} from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import type { OpenedChunk } from './chunk.ts';
import type { StoredChunk } from './chunk-store.ts';
import { CHUNK_LIFE_MS } from './limits.ts';
import type { Mempool } from './mempool.ts';

export interface Selection {
  /** Timestamp of the block that will reference the chunk. */
  readonly timestampMs: number;
  /** In blocks that the chunk's block descends from, or in other chunks of its payload. */
  readonly isExcluded: (id: string) => boolean;
  readonly transactionsMax: number;
  /** Units that the block has left. */
  readonly unitsLeft: Units;
}

export interface Selected {
  readonly transactions: readonly PreparedTransaction[];
  readonly units: Units;
}

/** An offset of the list in SSZ, for each transaction of the body. */
const OFFSET_BYTES = 4;
/** Pool entries looked at for one chunk: what does not fit is passed over, but not for ever. */
const LOOKED_AT_MAX = 50_000;

/** Oldest first, what fits. */
export function selectTransactions(pool: Pick<Mempool, 'entries'>, selection: Selection): Selected {
  const { timestampMs, isExcluded, transactionsMax, unitsLeft } = selection;
  const transactions: PreparedTransaction[] = [];
  let units = NO_UNITS;
  let bytes = 0;
  let lookedAt = 0;
  for (const entry of pool.entries()) {
    if (transactions.length >= transactionsMax || lookedAt++ >= LOOKED_AT_MAX) break;
    const size = entry.prepared.bytes.length + OFFSET_BYTES;
    if (bytes + size > CHUNK_BYTES_MAX || isExcluded(entry.id)) continue;
    if (entry.expiryMs <= timestampMs || entry.expiryMs > timestampMs + TRANSACTION_LIFE_MS_MAX) continue;
    const sum = addUnits(units, entry.units);
    if (sum.some((total, i) => total > (unitsLeft[i] as number))) continue;
    transactions.push(entry.prepared);
    units = sum;
    bytes += size;
  }
  return { transactions, units };
}

export interface ChunkBuilder {
  /**
   * The chunk is stored and in the log; it leaves as soon as the log is synced. `selected` is not empty. It is made as of the
   * timestamp of its block, by which its expiry is judged.
   */
  build(selected: Selected, createdMs: number): Promise<StoredChunk>;
  /** A chunk of this validator has this sequence: never again. */
  used(sequence: number): void;
}

export interface ChunkBuilderParts {
  readonly signer: Signer;
  readonly wal: Pick<Wal, 'append' | 'sync'>;
  readonly transport: Pick<Transport, 'broadcast'>;
  readonly telemetry: Telemetry;
  readonly reserveSequence: ((sequence: number) => Promise<void>) | undefined;
  /** Puts an own chunk into the store. */
  take(chunk: OpenedChunk, logSequence: number): StoredChunk;
}

export interface ChunkBuilderSetting {
  readonly genesisHash: GenesisHash;
  readonly memberIndex: number;
  readonly firstSequence: number;
}

export function createChunkBuilder(
  { signer, wal, transport, telemetry, reserveSequence, take }: ChunkBuilderParts,
  { genesisHash, memberIndex, firstSequence }: ChunkBuilderSetting,
): ChunkBuilder {
  let nextSequence = firstSequence;

  async function build({ transactions, units }: Selected, createdMs: number): Promise<StoredChunk> {
    assert(transactions.length > 0, 'a chunk holds at least one transaction');
    const sequence = nextSequence++;
    await reserveSequence?.(sequence);
    const body = chunkBodyCodec.encode(transactions.map(({ bytes }) => bytes));
    const header: ChunkHeader = {
      epoch: EPOCH,
      producer: memberIndex,
      sequence,
      createdMs,
      expiryMs: createdMs + CHUNK_LIFE_MS,
      bodyHash: sha256(body),
      bodyBytes: body.length,
      transactionCount: transactions.length,
      units,
    };
    wal.append('own-chunk-header', chunkHeaderCodec.encode(header));
    const id = chunkIdOf(header);
    const [signature] = await signer.sign([chunkMessage(genesisHash, id)]);
    assert(signature !== undefined, 'a signer gives one signature a message');
    const bytes = signedChunkCodec.encode({ header, body, signature });
    const chunk: OpenedChunk = { header, body, signature, id, hex: hexOf(id), bytes, transactions };
    const stored = take(chunk, wal.append('chunk', bytes));
    leave(stored).catch((cause: unknown) => {
      telemetry.log('error', 'a chunk did not leave: the log failed', { sequence, cause: String(cause) });
    });
    return stored;
  }

  async function leave({ header, body, signature }: OpenedChunk): Promise<void> {
    await wal.sync();
    transport.broadcast('chunk', encodeFrame('chunk', { header, body, signature }));
  }

  return {
    build,
    used(sequence) {
      nextSequence = Math.max(nextSequence, sequence + 1);
    },
  };
}
