/**
 * Moves live records of a log, in file order, into the segment under preparation.
 *
 * A record is live when it is a Put of the log's current file whose key nothing newer in the lineage touches.
 */
import { isLive, loadPut } from '../committed/committed.ts';
import { hashWords } from '../key-table/key-hash.ts';
import { headOfPut, keyBytesOfHead, valueBytesOfHead } from '../log/format.ts';
import { moveRecord, putBytes, type StoredPut } from '../log/segment-writer.ts';
import { addInteraction, DELETED, findInteraction, IN_OVERLAY, type Overlay, recordDeath } from '../overlay/overlay.ts';
import type { GrowingList } from '../typed-arrays/growing-list.ts';
import { wordsFor } from '../typed-arrays/word-arrays.ts';
import type { Preparation } from './preparation.ts';

/** Moves records until `budget` bytes are reached or none is left. Returns the bytes moved. */
export function moveLive(preparation: Preparation, slot: number, budget: number): number {
  const { lineage } = preparation;
  const begun = lineage.findIndex((overlay) => overlay.slot === slot && overlay.begins);
  let moved = begun < 0 ? moveCommitted(preparation, slot, budget) : 0;
  const oldest = begun < 0 ? lineage.length - 1 : begun;
  for (let newer = oldest; newer >= 0 && moved < budget; newer--) {
    const overlay = lineage[newer] as Overlay;
    if (overlay.slot === slot) moved += moveFromOverlay(preparation, overlay, newer, budget - moved);
  }
  return moved;
}

function emptyPut(): StoredPut {
  const words = new Int32Array(0);
  return { words, at: 0, keyBytes: 0, valueBytes: 0, valueWords: words, valueAt: 0 };
}

function moveCommitted(preparation: Preparation, slot: number, budget: number): number {
  const { committed, lineage } = preparation;
  const { values, length } = committed.lists[slot] as GrowingList;
  const put = emptyPut();
  let moved = 0;
  for (let ordinal = committed.deadBelow[slot] as number; ordinal < length && moved < budget; ordinal++) {
    const address = values[ordinal] as number;
    if (!isLive(committed, slot, ordinal, address)) continue;
    loadPut(committed, address, put);
    moved += move(preparation, put, lineage.length, slot, ordinal, address);
  }
  return moved;
}

/** `newer`: number of newer overlays in the lineage. */
function moveFromOverlay(preparation: Preparation, overlay: Overlay, newer: number, budget: number): number {
  const { keyAt, head, ordinal, length } = overlay.interactions;
  const put = emptyPut();
  let moved = 0;
  for (let i = 0; i < length && moved < budget; i++) {
    const number = ordinal[i] as number;
    if (number === DELETED) continue;
    put.words = overlay.words;
    put.at = keyAt[i] as number;
    put.keyBytes = keyBytesOfHead(head[i] as number);
    put.valueBytes = valueBytesOfHead(head[i] as number);
    put.valueWords = overlay.words;
    put.valueAt = put.at + wordsFor(put.keyBytes);
    moved += move(preparation, put, newer, overlay.slot, number, IN_OVERLAY);
  }
  return moved;
}

/** Does nothing when this batch or a newer overlay touches the key. */
function move(
  preparation: Preparation,
  put: StoredPut,
  newer: number,
  slot: number,
  ordinal: number,
  cell: number,
): number {
  const { committed, lineage, writer, interactions } = preparation;
  const { words, at, keyBytes } = put;
  const hash = hashWords(committed.hashKey, words, at, keyBytes);
  if (findInteraction(interactions, writer.words, words, at, keyBytes, hash) >= 0) return 0;
  for (let i = 0; i < newer; i++) {
    const overlay = lineage[i] as Overlay;
    if (findInteraction(overlay.interactions, overlay.words, words, at, keyBytes, hash) >= 0) return 0;
  }
  const number = writer.puts;
  const keyAt = moveRecord(writer, put);
  addInteraction(interactions, writer.words, keyAt, headOfPut(keyBytes, put.valueBytes), hash, number, cell);
  const bytes = putBytes(keyBytes, put.valueBytes);
  if (slot !== preparation.slot) recordDeath(preparation, slot, ordinal, bytes);
  return bytes;
}
