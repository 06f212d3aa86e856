/**
 * Loads the index from the log files, in any order.
 *
 * Of two Puts of a key the later batch wins. Only the Deletes in each file's last segment matter: what earlier ones killed is nullified
 * in its own log (see prepare.ts).
 */
import { assert } from '@slipstream/primitives';
import { CELL_HEAD_WORDS, keyBytesOf, PAGE_MASK, slotOf, valueBytesOf } from './cells.ts';
import { addToLog, type Committed, createCell, isLive, removeKey, updateCell } from './committed.ts';
import { bodyWords, DELETE, HEAD_WORDS, keyBytesOfHead, kindOf, NULLIFY, PUT, valueBytesOfHead } from './format.ts';
import { createGrowingList, type GrowingList, push } from './growing-list.ts';
import { hashWords } from './key-hash.ts';
import { endOfRow, readNullify, type ScannedSegment } from './log-scan.ts';
import { putBytes } from './segment-writer.ts';
import { wordsFor } from './words.ts';

interface LoadedLog {
  /** Per segment: its batch and the ordinal of its first Put. */
  readonly batches: number[];
  readonly firsts: GrowingList;
  /** Ordinals that the file's Nullify records list. */
  readonly nullified: Int32Array[];
  alive: number;
}

interface LastDelete {
  readonly batch: number;
  readonly words: Int32Array;
  readonly keyBytes: number;
  readonly hash: number;
}

export interface Loader {
  /** Segments of one log come in order. `isLast` marks the log's last segment. */
  add(slot: number, segment: ScannedSegment, isLast: boolean): void;
  /** After all logs: applies Deletes, and collects what died since each log was last written. */
  finish(): void;
}

export function createLoader(committed: Committed): Loader {
  const loaded: LoadedLog[] = committed.lists.map(() => ({
    batches: [],
    firsts: createGrowingList(),
    nullified: [],
    alive: 0,
  }));
  const deletes: LastDelete[] = [];

  const logAt = (slot: number) => loaded[slot] as LoadedLog;

  function batchOf(slot: number, ordinal: number): number {
    const { batches, firsts } = logAt(slot);
    let low = 0;
    for (let high = batches.length; high - low > 1; ) {
      const middle = (low + high) >>> 1;
      if ((firsts.values[middle] as number) <= ordinal) low = middle;
      else high = middle;
    }
    return batches[low] as number;
  }

  /** Uncounts the record of a cell. */
  function lose(address: number): void {
    const page = committed.cells.page(address);
    const packed = page[(address & PAGE_MASK) + 1] as number;
    const { live } = committed.logs;
    const slot = slotOf(packed);
    live[slot] = (live[slot] as number) - putBytes(keyBytesOf(packed), valueBytesOf(packed));
    logAt(slot).alive -= 1;
  }

  function addPut(slot: number, batch: number, words: Int32Array, keyAt: number, head: number): void {
    const { lists, table, logs, cells, hashKey } = committed;
    const list = lists[slot] as GrowingList;
    const keyBytes = keyBytesOfHead(head);
    const hash = hashWords(hashKey, words, keyAt, keyBytes);
    const address = table.find(words, keyAt, keyBytes, hash);
    if (address !== 0) {
      const page = cells.page(address);
      const at = address & PAGE_MASK;
      const rival = batchOf(slotOf(page[at + 1] as number), page[at] as number);
      assert(rival !== batch, 'a key stands in a batch once');
      if (rival > batch) {
        push(list, address);
        return;
      }
      lose(address);
    }
    const stored =
      address === 0
        ? createCell(committed, words, keyAt, head, slot, list.length)
        : updateCell(committed, address, hash, words, keyAt, head, slot, list.length);
    if (address === 0) table.insert(hash, stored);
    addToLog(committed, slot, list.length, stored);
    logs.live[slot] = (logs.live[slot] as number) + putBytes(keyBytes, valueBytesOfHead(head));
    logAt(slot).alive += 1;
  }

  function addDelete(batch: number, words: Int32Array, keyAt: number, head: number): void {
    const keyBytes = keyBytesOfHead(head);
    const hash = hashWords(committed.hashKey, words, keyAt, keyBytes);
    deletes.push({ batch, words: words.slice(keyAt, keyAt + wordsFor(keyBytes)), keyBytes, hash });
  }

  function remove(address: number, hash: number): void {
    lose(address);
    removeKey(committed, hash, address);
  }

  function addNullify(slot: number, ordinals: Int32Array): void {
    logAt(slot).nullified.push(ordinals);
    const { values } = committed.lists[slot] as GrowingList;
    for (const ordinal of ordinals) {
      const address = values[ordinal] as number;
      if (!isLive(committed, slot, ordinal, address)) continue;
      const page = committed.cells.page(address);
      const at = address & PAGE_MASK;
      remove(address, hashWords(committed.hashKey, page, at + CELL_HEAD_WORDS, keyBytesOf(page[at + 1] as number)));
    }
  }

  /** Dead Puts that no Nullify of the file lists died since its last segment. */
  function findDied(slot: number): void {
    const { nullified, alive } = logAt(slot);
    const { values, length } = committed.lists[slot] as GrowingList;
    const reported = new Uint8Array(length);
    let count = 0;
    for (const ordinals of nullified) {
      count += ordinals.length;
      for (const ordinal of ordinals) reported[ordinal] = 1;
    }
    if (alive + count === length) return;
    for (let ordinal = 0; ordinal < length; ordinal++) {
      if (reported[ordinal] === 1 || isLive(committed, slot, ordinal, values[ordinal] as number)) continue;
      push(committed.died[slot] as GrowingList, ordinal);
    }
  }

  return {
    add(slot, { batch, words, from, to }, isLast) {
      const list = committed.lists[slot] as GrowingList;
      logAt(slot).batches.push(batch);
      push(logAt(slot).firsts, list.length);
      for (let at = from; at < to; ) {
        const end = endOfRow(words, at, to);
        assert(end > 0, 'a segment whose checksum is right holds rows');
        const head = words[at] as number;
        const kind = kindOf(head);
        if (kind === NULLIFY) addNullify(slot, readNullify(words, at));
        const body = bodyWords(head);
        const first = at + HEAD_WORDS;
        if (kind === PUT) for (let keyAt = first; keyAt < end; keyAt += body) addPut(slot, batch, words, keyAt, head);
        if (kind === DELETE && isLast) {
          for (let keyAt = first; keyAt < end; keyAt += body) addDelete(batch, words, keyAt, head);
        }
        at = end;
      }
    },
    finish() {
      for (const { batch, words, keyBytes, hash } of deletes) {
        const address = committed.table.find(words, 0, keyBytes, hash);
        if (address === 0) continue;
        const page = committed.cells.page(address);
        const at = address & PAGE_MASK;
        if (batchOf(slotOf(page[at + 1] as number), page[at] as number) < batch) remove(address, hash);
      }
      for (let slot = 0; slot < loaded.length; slot++) findDied(slot);
    },
  };
}
