/** Reads through the overlays of a lineage down to the index. Values are copies. */
import { type Committed, loadPut } from '../committed/committed.ts';
import { StateError } from '../errors.ts';
import { hashWords } from '../key-table/key-hash.ts';
import { valueBytesOfHead } from '../log/format.ts';
import type { StoredPut } from '../log/segment-writer.ts';
import { DELETED, findInteraction, type Overlay } from '../overlay/overlay.ts';
import { ABSENT, KEY_BYTES_MAX, type StateView } from '../store.ts';
import { bytesAt, copyIntoWords, copyOfWords, wordsFor } from '../typed-arrays/word-arrays.ts';

export interface Reader {
  get(key: Uint8Array): Uint8Array | undefined;
  /** Without an overlay: the state of the tip. */
  view(overlay: Overlay | undefined): StateView;
}

interface Newest {
  readonly tipBlock: () => string;
  /** The tip's overlay, until it is folded. */
  readonly unfolded: () => Overlay | undefined;
}

export function createReader(committed: Committed, { tipBlock, unfolded }: Newest): Reader {
  const words = new Int32Array(wordsFor(KEY_BYTES_MAX));

  /** No other key length exists. */
  const isKey = (key: Uint8Array) => key.length >= 1 && key.length <= KEY_BYTES_MAX;

  function hashOf(key: Uint8Array): number {
    copyIntoWords(words, 0, key);
    return hashWords(committed.hashKey, words, 0, key.length);
  }

  const found: StoredPut = { words, at: 0, keyBytes: 0, valueBytes: 0, valueWords: words, valueAt: 0 };

  /** Sets `found`, unless there is none. */
  function find(newest: Overlay | undefined, key: Uint8Array): boolean {
    if (!isKey(key)) return false;
    const hash = hashOf(key);
    for (let overlay = newest; overlay !== undefined; overlay = overlay.parent) {
      const at = findInteraction(overlay.interactions, overlay.words, words, 0, key.length, hash);
      if (at >= 0) return foundIn(overlay, at, key.length);
    }
    const address = committed.table.find(words, 0, key.length, hash);
    if (address === 0) return false;
    loadPut(committed, address, found);
    return true;
  }

  function foundIn({ interactions, words: segment }: Overlay, at: number, keyBytes: number): boolean {
    if (interactions.ordinal[at] === DELETED) return false;
    found.valueWords = segment;
    found.valueAt = (interactions.keyAt[at] as number) + wordsFor(keyBytes);
    found.valueBytes = valueBytesOfHead(interactions.head[at] as number);
    return true;
  }

  function getThrough(newest: Overlay | undefined, key: Uint8Array): Uint8Array | undefined {
    return find(newest, key) ? bytesAt(found.valueWords, found.valueAt, found.valueBytes) : undefined;
  }

  function copyThrough(newest: Overlay | undefined, key: Uint8Array, into: Uint8Array): number {
    if (!find(newest, key)) return ABSENT;
    copyOfWords(found.valueWords, found.valueAt, Math.min(found.valueBytes, into.length), into);
    return found.valueBytes;
  }

  const get = (key: Uint8Array) => getThrough(unfolded(), key);

  function stale(block: string): StateError {
    return new StateError('stale-view', `block ${block} is neither prepared nor the last committed one`, { block });
  }

  /** Where the block's view begins to read. */
  function newestOf(overlay: Overlay): Overlay | undefined {
    const { status, block } = overlay;
    const isPast = (status === 'committed' || status === 'folded') && block !== tipBlock();
    if (status === 'dropped' || isPast) throw stale(block);
    return status === 'folded' ? undefined : overlay;
  }

  function newestOfTip(block: string): Overlay | undefined {
    if (block !== tipBlock()) throw stale(block);
    return unfolded();
  }

  const viewFrom = (newest: () => Overlay | undefined): StateView => ({
    get: (key) => getThrough(newest(), key),
    copy: (key, into) => copyThrough(newest(), key, into),
  });

  function view(overlay: Overlay | undefined): StateView {
    if (overlay !== undefined) return viewFrom(() => newestOf(overlay));
    const block = tipBlock();
    return viewFrom(() => newestOfTip(block));
  }

  return { get, view };
}
