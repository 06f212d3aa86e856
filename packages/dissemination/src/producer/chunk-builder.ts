/**
 * Chunk builder: packs, signs and logs a chunk.
 *
 *   select --> reserve the sequence --> sign header, and ack if it asks --> log header, chunk and ack: one sync --> Durable --> certifier
 *
 * A chunk is of the epoch that runs when it is begun. Sequences go on over epochs.
 *
 * INVARIANT (I3): header and ack are durable before they leave, and no sequence is used twice, also across restarts (D8). A logged chunk
 * may be referenced (I6): a vote for its block is synced after it.
 */
import type { Signer } from '@slipstream/ports';
import { assert, sha256 } from '@slipstream/primitives';
import {
  addUnits,
  type ChunkHeader,
  chunkAckMessage,
  chunkBodyCodec,
  chunkHeaderCodec,
  chunkIdOf,
  chunkMessage,
  type Epoch,
  type GenesisHash,
  hexOf,
  NO_UNITS,
  signedChunkCodec,
  TRANSACTION_LIFE_MS_MAX,
  type Units,
} from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import type { StoredBatch } from '../batches/stored-batch.ts';
import type { UnopenedChunk } from '../chunks/chunk.ts';
import type { OwnContent } from '../chunks/chunk-entry.ts';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { Committees } from '../epochs/committees.ts';
import { CHUNK_LIFE_MS } from '../limits.ts';
import type { PoolTransaction } from '../pool/pool-transaction.ts';
import type { ReadyQueue } from '../pool/ready-queue.ts';
import type { AckDemand } from './ack-demand.ts';
import type { OwnAck } from './certifier.ts';

interface SelectionLimits {
  /** About the timestamp of the referencing block. */
  readonly timestampMs: number;
  readonly transactionsMax: number;
  readonly unitsLeft: Units;
  /** Of the body; the batches beside them have the rest. */
  readonly bytesMax: number;
  /** The oldest one, if it fits into these alone, is not passed over for younger ones: nothing is selected. */
  readonly unitsAlone?: Units;
}

interface TransactionSelection {
  readonly transactions: readonly PoolTransaction[];
  readonly units: Units;
  /** Of the oldest one, because of which nothing is selected. */
  readonly oldestUnits?: Units | undefined;
}

export interface ChunkSelection extends TransactionSelection {
  readonly batches: readonly StoredBatch[];
  /** Of the batches. */
  readonly rows: number;
}

/** SSZ list offset of each transaction. */
const OFFSET_BYTES = 4;
/** Judged for one chunk: bounds the search past those that do not fit. */
const SCANNED_MAX = 50_000;

/** Oldest first by fee class; counts against the class's share. */
export function selectTransactions(ready: Pick<ReadyQueue, 'offer'>, selection: SelectionLimits): TransactionSelection {
  const { timestampMs, transactionsMax, unitsLeft, bytesMax, unitsAlone } = selection;
  const transactions: PoolTransaction[] = [];
  let units = NO_UNITS;
  let bytes = 0;
  let scanned = 0;
  let oldestUnits: Units | undefined;
  ready.offer((entry) => {
    if (transactions.length >= transactionsMax || scanned++ >= SCANNED_MAX) return 'enough';
    const size = entry.bytes.length + OFFSET_BYTES;
    if (bytes + size > bytesMax) return 'passed';
    if (entry.expiryMs <= timestampMs || entry.expiryMs > timestampMs + TRANSACTION_LIFE_MS_MAX) return 'passed';
    const sum = addUnits(units, entry.units);
    if (exceeds(sum, unitsLeft)) {
      const isOldest = transactions.length === 0 && unitsAlone !== undefined && !exceeds(sum, unitsAlone);
      if (!isOldest) return 'passed';
      oldestUnits = sum;
      return 'enough';
    }
    transactions.push(entry);
    units = sum;
    bytes += size;
    return 'taken';
  });
  return { transactions, units, oldestUnits };
}

const bytesOf = ({ bytes }: { readonly bytes: Uint8Array }): Uint8Array => bytes;

export function exceeds(units: Units, limits: Units): boolean {
  return units.some((unit, i) => unit > (limits[i] as number));
}

/** In one epoch. */
interface ProducerPart {
  readonly epoch: Epoch;
  readonly index: number;
  readonly signer: Signer;
}

export interface ChunkBuilder {
  /** False: this node makes no chunks in this epoch. */
  readonly isActive: boolean;
  /** Resolves when durable and sent; undefined: the epoch ended before. `selected` is not empty. Rejects when the log or the signer fails. */
  build(selected: ChunkSelection, createdMs: number): Promise<StoredChunk | undefined>;
  /** For an own chunk of the log: gathers acks again, if the key of its epoch is here. */
  resume(chunk: StoredChunk): Promise<void>;
  /** Of an own chunk; no other gets it. */
  markSequenceUsed(sequence: number): void;
}

interface ChunkBuilderParts {
  signerOf(epoch: Epoch): Signer | undefined;
  readonly committees: Pick<Committees, 'current'>;
  readonly demand: Pick<AckDemand, 'asks'>;
  readonly wal: Pick<Wal, 'append'>;
  readonly reserveSequence?: ((sequence: number) => Promise<void>) | undefined;
  take(chunk: UnopenedChunk, content: OwnContent, logSequence: number): StoredChunk;
  /** It may leave. */
  track(chunk: StoredChunk, ownAck: OwnAck): void;
}

interface ChunkBuilderSetting {
  readonly genesisHash: GenesisHash;
  readonly firstSequence: number;
}

export function createChunkBuilder(
  { signerOf, committees, demand, wal, reserveSequence, take, track }: ChunkBuilderParts,
  { genesisHash, firstSequence }: ChunkBuilderSetting,
): ChunkBuilder {
  let nextSequence = firstSequence;

  function ownPart(): ProducerPart | undefined {
    const { epoch, self: index } = committees.current;
    const signer = signerOf(epoch);
    return index === undefined || signer === undefined ? undefined : { epoch, index, signer };
  }

  async function build(selected: ChunkSelection, createdMs: number): Promise<StoredChunk | undefined> {
    const { transactions, batches, units, rows } = selected;
    const part = ownPart();
    if (part === undefined) return undefined;
    const { epoch, index, signer } = part;
    assert(transactions.length + batches.length > 0, 'a chunk holds at least one transaction or batch');
    const sequence = nextSequence++;
    await reserveSequence?.(sequence);
    if (committees.current.epoch !== epoch) return undefined;
    const ids = transactions.map((transaction) => transaction.id);
    const acksWanted = demand.asks(ids);
    const body = chunkBodyCodec.encode({ transactions: transactions.map(bytesOf), batches: batches.map(bytesOf) });
    const header: ChunkHeader = {
      epoch,
      producer: index,
      sequence,
      createdMs,
      expiryMs: createdMs + CHUNK_LIFE_MS,
      bodyHash: sha256(body),
      bodyBytes: body.length,
      transactionCount: transactions.length,
      batchCount: batches.length,
      rowCount: rows,
      units,
      acksWanted,
    };
    const id = chunkIdOf(header);
    const ackMessages = acksWanted ? [chunkAckMessage(genesisHash, epoch, id)] : [];
    const [signature, ack] = await signer.sign([chunkMessage(genesisHash, epoch, id), ...ackMessages]);
    assert(signature !== undefined, 'a signer gives one signature a message');
    const bytes = signedChunkCodec.encode({ header, body, signature });
    const chunk: UnopenedChunk = { header, body, signature, id, hex: hexOf(id), bytes };
    if (committees.current.epoch !== epoch) return undefined;
    const { sequence: logSequence } = wal.append('own-chunk-header', chunkHeaderCodec.encode(header), id);
    wal.append('chunk', bytes);
    const { durable } = wal.append('own-chunk-ack', id, id);
    const stored = take(chunk, { ids, batches }, logSequence);
    track(stored, { chunkId: await durable, signature: ack });
    return stored;
  }

  async function resume(chunk: StoredChunk): Promise<void> {
    const { epoch } = chunk.header;
    const signer = signerOf(epoch);
    if (signer === undefined) return;
    const [ack] = await signer.sign([chunkAckMessage(genesisHash, epoch, chunk.id)]);
    assert(ack !== undefined, 'a signer gives one signature a message');
    const { durable } = wal.append('own-chunk-ack', chunk.id, chunk.id);
    track(chunk, { chunkId: await durable, signature: ack });
  }

  return {
    get isActive() {
      return ownPart() !== undefined;
    },
    build,
    resume,
    markSequenceUsed(sequence) {
      nextSequence = Math.max(nextSequence, sequence + 1);
    },
  };
}
