/**
 * Loads the index from the log files, in any order.
 *
 * Of two Puts of a key the later batch wins. Only Deletes of a file's last segment count: Nullify records list what earlier ones deleted.
 */
import { assert } from '@slipstream/primitives';
import { addToLog, type Committed, createCell, isLive, removeKey, updateCell } from '../committed/committed.ts';
import { CELL_HEAD_WORDS, keyBytesOf, PAGE_MASK, slotOf, valueBytesOf } from '../key-table/cells.ts';
import { hashWords } from '../key-table/key-hash.ts';
import {
  bodyWords,
  DELETE,
  HEAD_WORDS,
  keyBytesOfHead,
  kindOf,
  NULLIFY,
  PUT,
  valueBytesOfHead,
} from '../log/format.ts';
import { endOfRow, readNullify, type ScannedSegment } from '../log/log-scan.ts';
import { putBytes } from '../log/segment-writer.ts';
import { createGrowingList, type GrowingList, push } from '../typed-arrays/growing-list.ts';
import { wordsFor } from '../typed-arrays/word-arrays.ts';

interface LoadedLog {
  /** Per segment: its batch, and the ordinal of its first Put. */
  readonly batches: number[];
  readonly firsts: GrowingList;
  /** Ordinals that the file's Nullify records list. */
  readonly nullified: Int32Array[];
  /** Number of live Puts. */
  live: number;
}

interface LastDelete {
  readonly batch: number;
  readonly words: Int32Array;
  readonly keyBytes: number;
  readonly hash: number;
}

export interface Loader {
  /** Segments of one log come in order. */
  add(slot: number, segment: ScannedSegment, isLast: boolean): void;
  /** Call after all logs: applies Deletes, and collects what died since each log was last written. */
  finish(): void;
}

interface Loading {
  readonly committed: Committed;
  readonly logs: readonly LoadedLog[];
  readonly deletes: LastDelete[];
}

export function createLoader(committed: Committed): Loader {
  const logs = committed.lists.map(() => ({ batches: [], firsts: createGrowingList(), nullified: [], live: 0 }));
  const loading: Loading = { committed, logs, deletes: [] };
  return {
    add: (slot, segment, isLast) => addSegment(loading, slot, segment, isLast),
    finish() {
      applyDeletes(loading);
      for (let slot = 0; slot < logs.length; slot++) collectDied(loading, slot);
    },
  };
}

function addSegment(loading: Loading, slot: number, segment: ScannedSegment, isLast: boolean): void {
  const { batch, words, from, to } = segment;
  const log = logAt(loading, slot);
  log.batches.push(batch);
  push(log.firsts, (loading.committed.lists[slot] as GrowingList).length);
  for (let at = from; at < to; ) {
    const end = endOfRow(words, at, to);
    assert(end > 0, 'a segment whose checksum is right holds rows');
    const head = words[at] as number;
    const kind = kindOf(head);
    if (kind === NULLIFY) addNullify(loading, slot, readNullify(words, at));
    const body = bodyWords(head);
    const first = at + HEAD_WORDS;
    if (kind === PUT) {
      for (let keyAt = first; keyAt < end; keyAt += body) addPut(loading, slot, batch, words, keyAt, head);
    }
    if (kind === DELETE && isLast) {
      for (let keyAt = first; keyAt < end; keyAt += body) addDelete(loading, batch, words, keyAt, head);
    }
    at = end;
  }
}

function logAt({ logs }: Loading, slot: number): LoadedLog {
  return logs[slot] as LoadedLog;
}

function batchOf(loading: Loading, slot: number, ordinal: number): number {
  const { batches, firsts } = logAt(loading, slot);
  let low = 0;
  for (let high = batches.length; high - low > 1; ) {
    const middle = (low + high) >>> 1;
    if ((firsts.values[middle] as number) <= ordinal) low = middle;
    else high = middle;
  }
  return batches[low] as number;
}

function batchOfCell(loading: Loading, address: number): number {
  const page = loading.committed.cells.page(address);
  const at = address & PAGE_MASK;
  return batchOf(loading, slotOf(page[at + 1] as number), page[at] as number);
}

function addPut(loading: Loading, slot: number, batch: number, words: Int32Array, keyAt: number, head: number): void {
  const { committed } = loading;
  const { lists, table, logs, hashKey } = committed;
  const list = lists[slot] as GrowingList;
  const keyBytes = keyBytesOfHead(head);
  const hash = hashWords(hashKey, words, keyAt, keyBytes);
  const address = table.find(words, keyAt, keyBytes, hash);
  if (address !== 0) {
    const present = batchOfCell(loading, address);
    assert(present !== batch, 'a key stands in a batch once');
    if (present > batch) {
      push(list, address);
      return;
    }
    uncountRecord(loading, address);
  }
  const stored =
    address === 0
      ? createCell(committed, words, keyAt, head, slot, list.length)
      : updateCell(committed, address, hash, words, keyAt, head, slot, list.length);
  if (address === 0) table.insert(hash, stored);
  addToLog(committed, slot, list.length, stored);
  logs.live[slot] = (logs.live[slot] as number) + putBytes(keyBytes, valueBytesOfHead(head));
  logAt(loading, slot).live += 1;
}

function uncountRecord(loading: Loading, address: number): void {
  const { cells, logs } = loading.committed;
  const packed = cells.page(address)[(address & PAGE_MASK) + 1] as number;
  const slot = slotOf(packed);
  logs.live[slot] = (logs.live[slot] as number) - putBytes(keyBytesOf(packed), valueBytesOf(packed));
  logAt(loading, slot).live -= 1;
}

function addDelete(loading: Loading, batch: number, words: Int32Array, keyAt: number, head: number): void {
  const keyBytes = keyBytesOfHead(head);
  const hash = hashWords(loading.committed.hashKey, words, keyAt, keyBytes);
  loading.deletes.push({ batch, words: words.slice(keyAt, keyAt + wordsFor(keyBytes)), keyBytes, hash });
}

function addNullify(loading: Loading, slot: number, ordinals: Int32Array): void {
  const { committed } = loading;
  logAt(loading, slot).nullified.push(ordinals);
  const { values } = committed.lists[slot] as GrowingList;
  for (const ordinal of ordinals) {
    const address = values[ordinal] as number;
    if (!isLive(committed, slot, ordinal, address)) continue;
    const page = committed.cells.page(address);
    const at = address & PAGE_MASK;
    const hash = hashWords(committed.hashKey, page, at + CELL_HEAD_WORDS, keyBytesOf(page[at + 1] as number));
    removeRecord(loading, address, hash);
  }
}

function removeRecord(loading: Loading, address: number, hash: number): void {
  uncountRecord(loading, address);
  removeKey(loading.committed, hash, address);
}

function applyDeletes(loading: Loading): void {
  for (const { batch, words, keyBytes, hash } of loading.deletes) {
    const address = loading.committed.table.find(words, 0, keyBytes, hash);
    if (address !== 0 && batchOfCell(loading, address) < batch) removeRecord(loading, address, hash);
  }
}

/** Dead Puts that no Nullify of the file lists died since its last segment. */
function collectDied(loading: Loading, slot: number): void {
  const { committed } = loading;
  const { nullified, live } = logAt(loading, slot);
  const { values, length } = committed.lists[slot] as GrowingList;
  const listed = new Uint8Array(length);
  let count = 0;
  for (const ordinals of nullified) {
    count += ordinals.length;
    for (const ordinal of ordinals) listed[ordinal] = 1;
  }
  if (live + count === length) return;
  for (let ordinal = 0; ordinal < length; ordinal++) {
    if (listed[ordinal] === 1 || isLive(committed, slot, ordinal, values[ordinal] as number)) continue;
    push(committed.died[slot] as GrowingList, ordinal);
  }
}
