/**
 * Inode: a file's bytes, current and durable.
 *
 *   current = synced + lost + pending       `sync` moves what was pending at its call into `synced`
 *
 * A failed sync moves pending changes to `lost`: still shown, never written by later syncs (Rebello et al., "Can Applications Recover from
 * fsync Failures?", 2020). They may survive a crash or not.
 */
import type { CrashMode } from './crash.ts';
import type { SeededRandom } from './random.ts';

/** Written atomically. */
const SECTOR_BYTES = 512;

export type Change =
  | { readonly type: 'write'; readonly position: number; readonly data: Uint8Array }
  | { readonly type: 'truncate'; readonly bytes: number };

export interface Inode {
  /** A view; copy it to retain it. */
  bytes(): Uint8Array;
  /** Survive any power cut; a view. */
  durableBytes(): Uint8Array;
  apply(change: Change): void;
  /** A power cut may lose something. */
  readonly hasUnsynced: boolean;
  /** How far this sync reaches; for commitSync or failSync. */
  beginSync(): number;
  commitSync(upTo: number): void;
  failSync(upTo: number): void;
  /** Returns the number of unsynced changes. */
  crash(mode: CrashMode, random: SeededRandom): number;
  /** Durably, from outside the process. */
  replace(bytes: Uint8Array): void;
}

export function createInode(): Inode {
  let current = createGrowingBytes();
  let synced = createGrowingBytes();
  const pending: Change[] = [];
  let lost: Change[] = [];
  /** Changes that have left `pending` over the inode's life. */
  let settled = 0;

  function takePending(upTo: number): readonly Change[] {
    const taken = pending.splice(0, Math.max(0, upTo - settled));
    settled += taken.length;
    return taken;
  }

  function crash(mode: CrashMode, random: SeededRandom): number {
    const unsynced = [...lost, ...pending];
    if (mode === 'lose-none') return unsynced.length; // only in the system's cache: a later power cut may lose it
    if (mode === 'prefix') applyPrefix(unsynced, random);
    if (mode === 'subset') for (const change of unsynced) applySubset(change, random);
    current = synced.clone();
    takePending(Number.POSITIVE_INFINITY);
    lost = [];
    return unsynced.length;
  }

  function applyPrefix(changes: readonly Change[], random: SeededRandom): void {
    const whole = random.below(changes.length + 1);
    for (const change of changes.slice(0, whole)) synced.apply(change);
    const torn = changes[whole];
    if (torn?.type !== 'write') return;
    synced.apply({ ...torn, data: torn.data.subarray(0, random.below(torn.data.length + 1)) });
  }

  /** Lost sectors show the earlier bytes, or zeros beyond them. */
  function applySubset(change: Change, random: SeededRandom): void {
    if (change.type === 'truncate') {
      if (random.chance(0.5)) synced.apply(change);
      return;
    }
    const end = change.position + change.data.length;
    if (random.chance(0.5)) synced.grow(end); // the size may be durable without the bytes
    for (let at = change.position; at < end; ) {
      const next = Math.min(end, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES);
      if (random.chance(0.5)) {
        const data = change.data.subarray(at - change.position, next - change.position);
        synced.apply({ type: 'write', position: at, data });
      }
      at = next;
    }
  }

  return {
    bytes: () => current.bytes(),
    durableBytes: () => synced.bytes(),
    apply(change) {
      current.apply(change);
      pending.push(change);
    },
    get hasUnsynced() {
      return pending.length + lost.length > 0;
    },
    beginSync: () => settled + pending.length,
    commitSync(upTo) {
      for (const change of takePending(upTo)) synced.apply(change);
    },
    failSync(upTo) {
      lost.push(...takePending(upTo));
    },
    crash,
    replace(bytes) {
      current = createGrowingBytes();
      current.apply({ type: 'write', position: 0, data: bytes });
      synced = current.clone();
      takePending(Number.POSITIVE_INFINITY);
      lost = [];
    },
  };
}

interface GrowingBytes {
  bytes(): Uint8Array;
  apply(change: Change): void;
  /** To at least this size, with zeros. */
  grow(size: number): void;
  clone(): GrowingBytes;
}

function createGrowingBytes(initial: Uint8Array = new Uint8Array(0)): GrowingBytes {
  let buffer = initial;
  let size = initial.length;

  function grow(wanted: number): void {
    if (wanted > buffer.length) {
      const larger = new Uint8Array(Math.max(wanted, 2 * buffer.length, SECTOR_BYTES));
      larger.set(buffer.subarray(0, size));
      buffer = larger;
    }
    size = Math.max(size, wanted);
  }

  return {
    bytes: () => buffer.subarray(0, size),
    apply(change) {
      if (change.type === 'write') {
        grow(change.position + change.data.length);
        buffer.set(change.data, change.position);
        return;
      }
      grow(change.bytes);
      buffer.fill(0, change.bytes, size);
      size = change.bytes;
    },
    grow,
    clone: () => createGrowingBytes(buffer.slice(0, size)),
  };
}
