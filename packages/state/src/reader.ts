/** Reading: a key through the overlays of a block's ancestors down to the committed state, and values out as copies. */
import { type Committed, isStaged, valueAt } from './committed.ts';
import { StateError } from './errors.ts';
import { valueBytesOfRecord } from './format.ts';
import { hashWords } from './key-hash.ts';
import { DELETED, findInteraction, type Overlay } from './overlay.ts';
import { KEY_BYTES_MAX, type StateView } from './store.ts';
import { bytesAt, copyIntoWords, wordsFor } from './words.ts';

export interface Reader {
  get(key: Uint8Array): Uint8Array | undefined;
  /** The state after the overlay; without one, after the batch committed last. */
  view(overlay: Overlay | undefined): StateView;
}

export function createReader(committed: Committed): Reader {
  const words = new Int32Array(wordsFor(KEY_BYTES_MAX));

  /** No key of another length exists. */
  const isKey = (key: Uint8Array) => key.length >= 1 && key.length <= KEY_BYTES_MAX;

  function hashOf(key: Uint8Array): number {
    copyIntoWords(words, 0, key);
    return hashWords(committed.hashKey, words, 0, key.length);
  }

  function getCommitted(keyBytes: number, hash: number): Uint8Array | undefined {
    const address = committed.table.find(words, 0, keyBytes, hash);
    return address === 0 || isStaged(committed, address) ? undefined : valueAt(committed, address);
  }

  function getThrough(newest: Overlay, key: Uint8Array): Uint8Array | undefined {
    if (newest.status === 'dropped' || (newest.status === 'committed' && newest.block !== committed.tip.block)) {
      const { block } = newest;
      throw new StateError('stale-view', `block ${block} is neither prepared nor the last committed one`, { block });
    }
    const hash = hashOf(key);
    const first = newest.status === 'committed' ? undefined : newest;
    for (let overlay = first; overlay !== undefined; overlay = overlay.parent) {
      const found = findInteraction(overlay.interactions, overlay.words, words, 0, key.length, hash);
      if (found < 0) continue;
      if (overlay.interactions.ordinal[found] === DELETED) return undefined;
      const at = overlay.interactions.keyAt[found] as number;
      return bytesAt(overlay.words, at + wordsFor(key.length), valueBytesOfRecord(overlay.words, at));
    }
    return getCommitted(key.length, hash);
  }

  function get(key: Uint8Array): Uint8Array | undefined {
    return isKey(key) ? getCommitted(key.length, hashOf(key)) : undefined;
  }

  function viewOfTip(): StateView {
    const { block } = committed.tip;
    return {
      get(key) {
        if (committed.tip.block === block) return get(key);
        throw new StateError('stale-view', `block ${block} is no longer the last committed one`, { block });
      },
    };
  }

  return {
    get,
    view: (overlay) =>
      overlay === undefined ? viewOfTip() : { get: (key) => (isKey(key) ? getThrough(overlay, key) : undefined) },
  };
}
