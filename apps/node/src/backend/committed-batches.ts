/**
 * Rows of distilled batches that ran, from the chunks of their block.
 *
 *   block --chunks with batches--> places by batch id --copies of one batch--> rows under header.root, stragglers
 *
 * A batch id names neither aggregate nor stragglers, and a chunk may hold a false copy under an honest header. The root shows
 * which has other rows. Which of two copies with other stragglers ran, only all their signatures would show: of such rows it is unknown.
 */
import type { ChunkReader } from '@slipstream/chunk-files';
import {
  BATCH_HEADER_BYTES,
  type BatchLeaf,
  batchHeaderCodec,
  batchIdOf,
  createRowTree,
  decodeBatch,
  type RowColumns,
  type RowTree,
} from '@slipstream/distilled';
import { bytesEqual, toHex } from '@slipstream/primitives';
import { type Block, chunkBodyCodec, type GenesisHash, signedChunkCodec } from '@slipstream/types';

export interface CommittedRows {
  readonly rows: RowColumns;
  readonly tree: RowTree;
  /** Undefined: copies of the batch differ in that. */
  isStraggler(position: number): boolean | undefined;
}

/** Undefined: a chunk with batches is not on this node. */
export type RowsOf = (block: Block, leaf: BatchLeaf) => Promise<CommittedRows | undefined>;

/** Each at most 8,192 rows. */
const BATCHES_DECODED_MAX = 8;
const BLOCKS_INDEXED_MAX = 8;

/** Chunks of a block by the ids of their batches, hex. */
type Places = ReadonlyMap<string, ReadonlySet<number>>;

export function createCommittedBatches(chunks: ChunkReader, genesisHash: GenesisHash): RowsOf {
  const placesOf = remembered(BLOCKS_INDEXED_MAX, (block: Block) => findPlaces(chunks, genesisHash, block));
  const decoded = remembered(BATCHES_DECODED_MAX, async ([block, leaf]: readonly [Block, BatchLeaf]) => {
    const batchId = batchIdOf(genesisHash, leaf.header);
    const places = await placesOf(toHex(block.payloadRoot), block);
    return places && decodeCopies(chunks, genesisHash, { block, batchId, leaf, at: places.get(toHex(batchId)) });
  });
  return (block, leaf) =>
    decoded(`${toHex(block.payloadRoot)}-${toHex(batchIdOf(genesisHash, leaf.header))}`, [block, leaf]);
}

async function findPlaces(
  chunks: ChunkReader,
  genesisHash: GenesisHash,
  { payload }: Block,
): Promise<Places | undefined> {
  const places = new Map<string, Set<number>>();
  for (const [at, { chunkId }] of payload.entries()) {
    const batches = await batchesIn(chunks, chunkId);
    if (batches === undefined) return undefined;
    for (const bytes of batches) {
      const id = idOf(genesisHash, bytes);
      if (id === undefined) continue;
      const known = places.get(id) ?? new Set();
      places.set(id, known.add(at));
    }
  }
  return places;
}

interface Wanted {
  readonly block: Block;
  readonly batchId: Uint8Array;
  readonly leaf: BatchLeaf;
  readonly at: ReadonlySet<number> | undefined;
}

async function decodeCopies(
  chunks: ChunkReader,
  genesisHash: GenesisHash,
  { block, batchId, leaf, at = new Set() }: Wanted,
): Promise<CommittedRows | undefined> {
  const id = toHex(batchId);
  let found: Pick<CommittedRows, 'rows' | 'tree'> | undefined;
  const stragglers: Set<number>[] = [];
  for (const place of at) {
    const { chunkId } = block.payload[place] as Block['payload'][number];
    for (const bytes of (await batchesIn(chunks, chunkId)) ?? []) {
      if (idOf(genesisHash, bytes) !== id) continue;
      const batch = decodeBatch(bytes);
      const tree = batch.ok && createRowTree(batch.value.rows);
      if (!batch.ok || !tree || !bytesEqual(tree.root, leaf.header.root)) continue;
      found ??= { rows: batch.value.rows, tree };
      stragglers.push(new Set(batch.value.stragglers.map(({ position }) => position)));
    }
  }
  if (found === undefined) return undefined;
  const isStraggler = (position: number) => agreed(stragglers.map((positions) => positions.has(position)));
  return { rows: found.rows, tree: found.tree, isStraggler };
}

function agreed([first, ...others]: readonly boolean[]): boolean | undefined {
  return others.every((other) => other === first) ? first : undefined;
}

/** Undefined: the chunk is not here. */
async function batchesIn(chunks: ChunkReader, chunkId: Uint8Array): Promise<readonly Uint8Array[] | undefined> {
  const bytes = await chunks.get(chunkId);
  const chunk = bytes && signedChunkCodec.decode(bytes);
  if (!chunk?.ok) return undefined;
  if (chunk.value.header.batchCount === 0) return [];
  const body = chunkBodyCodec.decode(chunk.value.body);
  return body.ok ? body.value.batches : undefined;
}

function idOf(genesisHash: GenesisHash, bytes: Uint8Array): string | undefined {
  const header = batchHeaderCodec.decode(bytes.subarray(0, BATCH_HEADER_BYTES));
  return header.ok ? toHex(batchIdOf(genesisHash, header.value)) : undefined;
}

/** Remembers the newest results by key; neither failures nor undefined. */
export function remembered<From, To>(most: number, make: (from: From) => Promise<To | undefined>) {
  const known = new Map<string, Promise<To | undefined>>();
  return (key: string, from: From): Promise<To | undefined> => {
    const found = known.get(key);
    if (found) return found;
    const fresh = make(from);
    known.set(key, fresh);
    if (known.size > most) known.delete(known.keys().next().value as string);
    const forget = () => {
      if (known.get(key) === fresh) known.delete(key);
    };
    fresh.then((value) => value ?? forget(), forget);
    return fresh;
  };
}
