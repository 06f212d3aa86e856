/**
 * Bodies: what execution made of a block, in one value.
 *
 *   receipts' bytes u32 | receipts, then records of distilled batches (packed-list.ts) | accounts (account-lists.ts)
 *
 * Bodies are most of what a ledger holds. A large one is appended to files, and the store holds its place, because LevelDB would write it again
 * with each merge (decision 0064). A small one is in the store itself, as are all in a ledger without files.
 */
import { assert } from '@slipstream/primitives';
import type { BlockId } from '@slipstream/types';
import { receiptsOf } from './account-lists.ts';
import { packedBytes, packList } from './packed-list.ts';

export interface Body {
  /** Serialized, in order: the leaves under the receipts root; then records of the distilled batches that ran. */
  readonly receipts: Uint8Array;
  /** Of each receipt. */
  readonly accounts: Uint8Array;
}

/** Bodies in files, by block. */
export interface BodyReader {
  /** Undefined: not here, or damaged. */
  get(blockId: Uint8Array): Promise<Uint8Array | undefined>;
}

export interface BodyWriter extends BodyReader {
  /** Durable once it resolves; idempotent. */
  put(height: number, bodies: readonly { readonly chunkId: BlockId; readonly bytes: Uint8Array }[]): Promise<void>;
  forget(blockIds: readonly Uint8Array[]): Promise<void>;
  removeBelow(height: number): Promise<number>;
  close(): Promise<void>;
}

const HEAD_BYTES = 4;

/** A record of its own costs as much as LevelDB takes for so much, its merges included. */
export const STORE_BYTES_MAX = 32 * 1024;

interface Executed {
  readonly receipts: readonly Uint8Array[];
  readonly batches?: readonly Uint8Array[];
  readonly accounts: Uint8Array;
}

export function packBody({ receipts, batches = [], accounts }: Executed): Uint8Array {
  assert(receipts.length === receiptsOf(accounts), 'each receipt has its list of accounts');
  // An empty second list leaves nothing.
  const lists = batches.length === 0 ? [receipts] : [receipts, batches];
  const listBytes = lists.reduce((sum, list) => sum + packedBytes(list), 0);
  const bytes = new Uint8Array(HEAD_BYTES + listBytes + accounts.length);
  new DataView(bytes.buffer).setUint32(0, listBytes, true);
  let at = HEAD_BYTES;
  for (const list of lists) at = packList(bytes, at, list);
  bytes.set(accounts, at);
  return bytes;
}

/** Views. Undefined: too short. */
export function bodyIn(bytes: Uint8Array): Body | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const end = HEAD_BYTES + new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
  if (end > bytes.length) return undefined;
  return { receipts: bytes.subarray(HEAD_BYTES, end), accounts: bytes.subarray(end) };
}
