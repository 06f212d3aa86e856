import { bytesEqual } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  blockCodec,
  type DigestPreimage,
  digestPreimageCodec,
  type Height,
  height,
  type TransactionId,
} from '@slipstream/types';
import type { Body } from './bodies.ts';
import { keyOf, metaKey, uint64be } from './keys.ts';
import { secondList, unpackList } from './packed-list.ts';
import { batchIdOfRecord, type LedgerTip, tipCodec, transactionIdOfReceipt } from './records.ts';
import { bodyKey, corrupt, decodeOr, type SealedStore } from './sealed-store.ts';

export interface LedgerBlock {
  readonly blockId: BlockId;
  readonly block: Block;
}

/** Newest first. */
export interface BlockPage {
  readonly blocks: readonly LedgerBlock[];
  /** `before` of the next page; undefined at the end. */
  readonly next: number | undefined;
}

export interface ExecutedIds extends LedgerBlock {
  /** Of the transactions with a receipt, then of the distilled batches that ran. */
  readonly executedIds: readonly TransactionId[];
}

/** Blocks that recentBlocks reads at once; bounds the memory of a start. */
const RECENT_STEP = 64;

export function readTip(store: SealedStore): Promise<LedgerTip | undefined> {
  return store.read(metaKey('tip'), tipCodec);
}

export async function blockIdAt(store: SealedStore, height: number): Promise<BlockId | undefined> {
  return (await store.get(keyOf('height', uint64be(height)))) as BlockId | undefined;
}

export async function blockAt(store: SealedStore, height: number): Promise<LedgerBlock | undefined> {
  const heightKey = keyOf('height', uint64be(height));
  const blockId = (await store.get(heightKey)) as BlockId | undefined;
  if (blockId === undefined) return undefined;
  const key = keyOf('block', blockId);
  const block = await store.read(key, blockCodec);
  if (block === undefined) await checkPruned(store, heightKey, key);
  return block && { blockId, block };
}

/** Call for a missing value. Throws LedgerError `corrupt` when the height still names the block, so that it was not pruned. */
async function checkPruned(store: SealedStore, heightKey: Uint8Array, key: Uint8Array): Promise<void> {
  if ((await store.get(heightKey)) !== undefined) throw corrupt(key, 'a committed block that is missing');
}

/** Throws LedgerError `corrupt` when this height should be retained. */
async function checkPrunedAt(store: SealedStore, at: number): Promise<void> {
  const tip = await readTip(store);
  if (tip && at >= tip.earliestHeight)
    throw corrupt(keyOf('height', uint64be(at)), 'a committed block that is missing');
}

/** Finds no block that lost to a rival. */
export async function blockById(store: SealedStore, blockId: BlockId): Promise<LedgerBlock | undefined> {
  const block = await store.read(keyOf('block', blockId), blockCodec);
  if (block === undefined) return undefined;
  const final = await blockIdAt(store, block.height);
  return final !== undefined && bytesEqual(final, blockId) ? { blockId, block } : undefined;
}

/** Blocks with from <= height < to, ascending or with `reverse` descending, without the lowest ones if they are pruned meanwhile. */
export async function blocksBetween(
  store: SealedStore,
  from: number,
  to: number,
  limit: number,
  reverse = false,
): Promise<readonly LedgerBlock[]> {
  const bounds = { from: keyOf('height', uint64be(from)), to: keyOf('height', uint64be(to)), limit, reverse };
  const entries = await store.range(bounds);
  const keys = entries.map(({ value }) => keyOf('block', value));
  const values = await store.getMany(keys);
  const blocks: LedgerBlock[] = [];
  for (const [index, { key: heightKey }] of entries.entries()) {
    const [key, value] = [keys[index] as Uint8Array, values[index]];
    if (value === undefined) await checkPruned(store, heightKey, key);
    else blocks.push({ blockId: key.subarray(1) as BlockId, block: decodeOr(key, blockCodec, value) });
  }
  return blocks;
}

export async function blockPage(
  store: SealedStore,
  options: { readonly before?: number; readonly limit: number },
): Promise<BlockPage> {
  const to = options.before ?? Number.MAX_SAFE_INTEGER;
  const blocks = await blocksBetween(store, 0, to, options.limit, true);
  const last = blocks[blocks.length - 1]?.block.height;
  return { blocks, next: blocks.length === options.limit && last !== undefined && last > 0 ? last : undefined };
}

/** Serialized, in order: the leaves under the receipts root. */
export async function receiptsOf(store: SealedStore, blockId: BlockId): Promise<readonly Uint8Array[] | undefined> {
  const [body] = await store.bodies([blockId]);
  return body && unpackList(body.receipts);
}

export async function bodyAt(
  store: SealedStore,
  height: number,
): Promise<{ readonly blockId: BlockId; readonly body: Body } | undefined> {
  const blockId = await blockIdAt(store, height);
  if (blockId === undefined) return undefined;
  const [body] = await store.bodies([blockId]);
  if (body === undefined) await checkPruned(store, keyOf('height', uint64be(height)), bodyKey(blockId));
  return body && { blockId, body };
}

/** Records of distilled batches, behind a block's receipts. */
export function batchesIn(receipts: Uint8Array): readonly Uint8Array[] {
  const batches = secondList(receipts);
  return batches === undefined ? [] : unpackList(batches);
}

export interface BlockReceipts extends LedgerBlock {
  /** Serialized, in order. */
  readonly receipts: readonly Uint8Array[];
  /** Records of distilled batches. */
  readonly batches: readonly Uint8Array[];
}

/** Consecutive from `from`, at most `limit`, bodies side by side: a busy thread answers each read late. */
export async function blocksWithReceipts(
  store: SealedStore,
  from: number,
  limit: number,
): Promise<readonly BlockReceipts[]> {
  const blocks = await blocksBetween(store, from, from + limit, limit);
  const bodies = await store.bodies(blocks.map(({ blockId }) => blockId));
  const found: BlockReceipts[] = [];
  for (const [at, each] of blocks.entries()) {
    if (each.block.height !== from + at) break;
    const body = bodies[at];
    if (body === undefined) {
      await checkPruned(store, keyOf('height', uint64be(each.block.height)), bodyKey(each.blockId));
      break;
    }
    found.push({ ...each, receipts: unpackList(body.receipts), batches: batchesIn(body.receipts) });
  }
  return found;
}

export function preimageAt(store: SealedStore, height: Height): Promise<DigestPreimage | undefined> {
  return store.read(keyOf('preimage', uint64be(height)), digestPreimageCodec);
}

/** The retained preimages, ascending. */
export async function preimagesBetween(
  store: SealedStore,
  from: number,
  to: number,
): Promise<readonly DigestPreimage[]> {
  const entries = await store.range({
    from: keyOf('preimage', uint64be(from)),
    to: keyOf('preimage', uint64be(to + 1)),
    limit: to - from + 1,
  });
  return entries.map(({ key, value }) => decodeOr(key, digestPreimageCodec, value));
}

/** Blocks from timestamp `sinceMs` on, ascending. Throws LedgerError `corrupt` for a missing one: a damaged key would go unnoticed. */
export async function recentBlocks(store: SealedStore, sinceMs: number): Promise<readonly ExecutedIds[]> {
  const recent: ExecutedIds[] = [];
  let next = (await readTip(store))?.height ?? 0;
  for (let to = Number.MAX_SAFE_INTEGER; to > 0; ) {
    const step = await blocksBetween(store, 0, to, RECENT_STEP, true);
    for (const found of step) {
      if (found.block.height < next) await checkPrunedAt(store, next);
      next = height(found.block.height - 1);
      if (found.block.timestampMs < sinceMs) return recent.reverse();
      const [body] = await store.bodies([found.blockId]);
      if (body === undefined) throw corrupt(bodyKey(found.blockId), 'receipts that are missing');
      const batchIds = batchesIn(body.receipts).map(batchIdOfRecord);
      recent.push({ ...found, executedIds: [...unpackList(body.receipts).map(transactionIdOfReceipt), ...batchIds] });
    }
    if (step.length < RECENT_STEP) break;
    to = step[step.length - 1]?.block.height ?? 0;
  }
  return recent.reverse();
}
