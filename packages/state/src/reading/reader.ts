/** Reads through the overlays of a lineage down to the index. Values are copies. */
import { type Committed, valueAt } from '../committed/committed.ts';
import { StateError } from '../errors.ts';
import { hashWords } from '../key-table/key-hash.ts';
import { valueBytesOfHead } from '../log/format.ts';
import { DELETED, findInteraction, type Overlay } from '../overlay/overlay.ts';
import { KEY_BYTES_MAX, type StateView } from '../store.ts';
import { bytesAt, copyIntoWords, wordsFor } from '../typed-arrays/word-arrays.ts';

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

  function getFolded(keyBytes: number, hash: number): Uint8Array | undefined {
    const address = committed.table.find(words, 0, keyBytes, hash);
    return address === 0 ? undefined : valueAt(committed, address);
  }

  function getThrough(newest: Overlay | undefined, key: Uint8Array): Uint8Array | undefined {
    if (!isKey(key)) return undefined;
    const hash = hashOf(key);
    for (let overlay = newest; overlay !== undefined; overlay = overlay.parent) {
      const found = findInteraction(overlay.interactions, overlay.words, words, 0, key.length, hash);
      if (found < 0) continue;
      const { ordinal, keyAt, head } = overlay.interactions;
      if (ordinal[found] === DELETED) return undefined;
      const at = (keyAt[found] as number) + wordsFor(key.length);
      return bytesAt(overlay.words, at, valueBytesOfHead(head[found] as number));
    }
    return getFolded(key.length, hash);
  }

  const get = (key: Uint8Array) => getThrough(unfolded(), key);

  function stale(block: string): StateError {
    return new StateError('stale-view', `block ${block} is neither prepared nor the last committed one`, { block });
  }

  function viewOf(overlay: Overlay): StateView {
    const { block } = overlay;
    return {
      get(key) {
        const { status } = overlay;
        const isPast = (status === 'committed' || status === 'folded') && block !== tipBlock();
        if (status === 'dropped' || isPast) throw stale(block);
        return getThrough(status === 'folded' ? undefined : overlay, key);
      },
    };
  }

  function viewOfTip(): StateView {
    const block = tipBlock();
    return {
      get(key) {
        if (block !== tipBlock()) throw stale(block);
        return get(key);
      },
    };
  }

  return { get, view: (overlay) => (overlay === undefined ? viewOfTip() : viewOf(overlay)) };
}
