/** What files of heights hold: chunks of committed blocks, or what their execution gave. */
import type { Store } from '@slipstream/records';

export interface Contents {
  readonly store: Store;
  /** An entry, in what people read. */
  readonly entry: string;
  /** For people, about an entry that is damaged. */
  readonly whenDamaged: string;
  /** Of an entry. A larger size in the index means damage, and must not cause an allocation. */
  readonly bytesMax: number;
}

const MIB = 1024 * 1024;

export const CHUNKS: Contents = {
  store: 'chunk files',
  entry: 'chunk',
  whenDamaged: 'peers get it from other nodes',
  // Twice a chunk's size.
  bytesMax: 4 * MIB,
};

export const BODIES: Contents = {
  store: 'block files',
  entry: 'body of block',
  whenDamaged: 'restore the folder or sync again',
  // Eight times the receipts of a full block.
  bytesMax: 64 * MIB,
};
