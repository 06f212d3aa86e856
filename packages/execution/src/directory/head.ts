/**
 * Head of the directory: what the next registration and the digest need, so that neither reads the entries.
 *
 *   size u32 | height u64 | registrations of that height u32 | root (32) | frontier, 32 bytes a hash
 *
 * It is in the state, so a rival block's registrations leave with its overlay, and a joining node has it with the state.
 */
import { EMPTY_FRONTIER, frontierRoot, type MerkleFrontier } from '@slipstream/types';
import { ExecutionError } from '../errors.ts';
import type { Entries } from '../overlay.ts';
import { DIRECTORY_KEY } from './keys.ts';

interface DirectoryHead {
  readonly frontier: MerkleFrontier;
  readonly root: Uint8Array;
  /** Of the newest registration; 0 before. */
  readonly height: number;
  /** In that block. */
  readonly registrations: number;
}

const HASH_BYTES = 32;
const FRONTIER = 16 + HASH_BYTES;

export const EMPTY_HEAD: DirectoryHead = {
  frontier: EMPTY_FRONTIER,
  root: frontierRoot(EMPTY_FRONTIER),
  height: 0,
  registrations: 0,
};

export function encodeHead({ frontier, root, height, registrations }: DirectoryHead): Uint8Array {
  const value = new Uint8Array(FRONTIER + HASH_BYTES * frontier.hashes.length);
  const view = new DataView(value.buffer);
  view.setUint32(0, frontier.size, true);
  view.setBigUint64(4, BigInt(height), true);
  view.setUint32(12, registrations, true);
  value.set(root, 16);
  for (const [i, hash] of frontier.hashes.entries()) value.set(hash, FRONTIER + HASH_BYTES * i);
  return value;
}

/** Of a chain with a directory. Throws ExecutionError `state-corrupt`. */
export function readDirectoryHead(entries: Pick<Entries, 'get'>): DirectoryHead {
  const value = entries.get(DIRECTORY_KEY);
  const size = value === undefined || value.length < FRONTIER ? undefined : uint32At(value, 0);
  if (value === undefined || size === undefined || value.length !== FRONTIER + HASH_BYTES * bitsOf(size)) {
    throw new ExecutionError('state-corrupt', 'the head of the directory is missing, or has another length', {});
  }
  const hashes: Uint8Array[] = [];
  for (let at = FRONTIER; at < value.length; at += HASH_BYTES) hashes.push(value.slice(at, at + HASH_BYTES));
  return {
    frontier: { size, hashes },
    root: value.slice(16, FRONTIER),
    height: uint32At(value, 4) + uint32At(value, 8) * 2 ** 32,
    registrations: uint32At(value, 12),
  };
}

function uint32At(value: Uint8Array, at: number): number {
  return new DataView(value.buffer, value.byteOffset, value.byteLength).getUint32(at, true);
}

function bitsOf(size: number): number {
  let bits = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
  return bits;
}
