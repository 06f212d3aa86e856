/**
 * Prepares a batch: decides every byte that it will be on disk, and touches nothing.
 *
 *   batch b writes log b mod (history + 1), whose last batch is b - history - 1:
 *     1  the batch's own Puts and Deletes, in the order given
 *     2  if the log holds too many dead bytes, begin a new file and move its live records there (compaction);
 *        else go on in its file
 *     3  if a log ahead holds too many dead bytes, and too many live ones to be compacted in one batch, move some of its live
 *        records here (relief), so that they will be few enough when its turn comes
 *     4  unless the file is new: one Nullify, of the records of this log that died by the batches since it was last written,
 *        that one included, this one not
 *     5  the checksum
 *
 * Which records this batch's own Puts and Deletes kill decides nothing here: it is looked up after the checksum is known, beside
 * the disk, at the latest when a batch is prepared on top of this one (look-ups.ts).
 *
 * INVARIANT V1: all of this is decided by the batches so far, never by what is committed, cached or measured. Steps 2 and 3
 * look at sizes alone, and step 4 is in order of ordinals: a store that was opened again goes on with the same bytes.
 *
 * Why a Delete may vanish in a compaction (and a Put that replaced another): each record that it killed stood in a log that
 * was written since, at the latest history batches later, and says so itself by its Nullify; or in this log's file, and went
 * with it.
 */
import { isPacked, type PackedBatch, packBatch } from './batch.ts';
import type { Committed } from './committed.ts';
import { encodeBatch, recordWordsMax } from './encode.ts';
import { StateError } from './errors.ts';
import { CHECKSUM_BYTES, encodeFileHeader } from './format.ts';
import { createGrowingList, type GrowingList, push } from './growing-list.ts';
import { orderByHash } from './hash-order.ts';
import { beginFile, copyLogTable, type LogTable } from './log-table.ts';
import { lookUp } from './look-ups.ts';
import { moveLive } from './moves.ts';
import { sortOrdinals } from './ordinals.ts';
import { DELETED, enterInteraction, type Interactions, lineageOf, type Overlay } from './overlay.ts';
import type { StateParameters } from './parameters.ts';
import type { Preparation } from './preparation.ts';
import { sealSegment, writeNullify } from './segment-writer.ts';
import type { Batch } from './store.ts';

export interface Chain {
  readonly parameters: StateParameters;
  readonly genesisHash: Uint8Array;
}

/** Throws StateError `bad-batch`. */
export function prepareBatch(
  chain: Chain,
  committed: Committed,
  parent: Overlay | undefined,
  block: string,
  batch: Batch | PackedBatch,
): Overlay {
  const { history } = chain.parameters;
  const below = parent ?? committed.tip;
  if (parent !== undefined) lookUp(committed, parent, parent.interactions.own);
  const number = below.batch + 1;
  const packed = isPacked(batch) ? batch : packBatch(batch);
  const count = packed.keyBytes.length;
  const slot = number % (history + 1);
  const preparation: Preparation = {
    committed,
    lineage: lineageOf(parent),
    slot,
    writer: committed.recycler.writer(recordWordsMax(packed)),
    interactions: committed.recycler.interactions(count),
    diedSlot: createGrowingList(),
    diedOrdinal: createGrowingList(),
    logs: copyLogTable(parent?.logs ?? committed.logs),
  };
  const { logs, writer, interactions } = preparation;
  const own = encodeBatch(writer, packed, committed.hashKey, interactions);
  enterBatch(preparation, count);
  let budget = Math.max(chain.parameters.moveBytesMax, own);
  const replaces = logs.file[slot] as number;
  const compacts =
    replaces >= 0 && hasTooManyDead(logs, slot, chain.parameters) && (logs.live[slot] as number) <= budget;
  const begins = replaces < 0 || compacts;
  if (begins) budget -= beginLog(chain, preparation, compacts, number);
  relieve(chain.parameters, preparation, budget);
  if (!begins) nullify(preparation);
  finishOrdinals(interactions, logs.puts[slot] as number);

  const previous = logs.tip[slot] as Uint8Array;
  const { bytes, checksum } = sealSegment(writer, number, previous, below.checksum);
  const offset = logs.bytes[slot] as number;
  logs.bytes[slot] = offset + bytes.length;
  logs.live[slot] = (logs.live[slot] as number) + own;
  logs.puts[slot] = (logs.puts[slot] as number) + writer.puts;
  logs.tip[slot] = checksum;
  return {
    ...{
      block,
      batch: number,
      parent,
      status: 'prepared',
      lookedUp: 0,
      made: 0,
      entered: 0,
      cells: 0,
      fresh: 0,
      goesOn: false,
      slot,
      begins,
      replaces: compacts ? replaces : -1,
      offset,
    },
    ...{ words: writer.words, bytes, checksum, interactions, logs },
    ...{ diedSlot: preparation.diedSlot, diedOrdinal: preparation.diedOrdinal },
  };
}

/** Makes the batch's keys findable, in the order of the index. */
function enterBatch({ writer, interactions }: Preparation, count: number): void {
  const { hash, order, sorted } = interactions;
  const { words } = writer;
  orderByHash(hash, count, order, sorted);
  interactions.length = count;
  interactions.own = count;
  for (let next = 0; next < count; next++) {
    const i = order[next] as number;
    if (!enterInteraction(interactions, words, i)) {
      throw new StateError('bad-batch', `write ${i} is of a key that stands in the batch already`, { index: i });
    }
  }
}

function hasTooManyDead({ bytes, live }: LogTable, slot: number, parameters: StateParameters): boolean {
  const alive = live[slot] as number;
  const dead = (bytes[slot] as number) - alive;
  if (dead <= parameters.deadBytesMin) return false;
  return dead > parameters.deadBytesMax || dead * 100 > alive * parameters.deadPercent;
}

/** Step 2, in a new file. Returns the bytes moved. */
function beginLog(chain: Chain, preparation: Preparation, compacts: boolean, file: number): number {
  const { logs, slot } = preparation;
  const moved = compacts ? moveLive(preparation, slot, Number.POSITIVE_INFINITY) : 0;
  const header = encodeFileHeader({ genesisHash: chain.genesisHash, history: chain.parameters.history, file });
  beginFile(logs, slot, file, header.slice(-CHECKSUM_BYTES));
  logs.live[slot] = moved;
  return moved;
}

/** Step 3: the first log in order of turns that needs it. */
function relieve(parameters: StateParameters, preparation: Preparation, budget: number): void {
  const { logs, slot } = preparation;
  const count = parameters.history + 1;
  if (budget <= 0) return;
  for (let ahead = 1; ahead < count; ahead++) {
    const other = (slot + ahead) % count;
    if ((logs.live[other] as number) <= parameters.moveBytesMax) continue;
    if (!hasTooManyDead(logs, other, parameters)) continue;
    const moved = moveLive(preparation, other, budget);
    logs.live[slot] = (logs.live[slot] as number) + moved;
    return;
  }
}

/** Step 4. */
function nullify({ committed, lineage, slot, writer }: Preparation): void {
  const ordinals = createGrowingList();
  const written = lineage.findIndex((overlay) => overlay.slot === slot);
  if (written < 0) {
    const { values, length } = committed.died[slot] as GrowingList;
    for (let i = 0; i < length; i++) push(ordinals, values[i] as number);
  }
  const since = written < 0 ? lineage : lineage.slice(0, written + 1);
  for (const overlay of since) collect(overlay.diedSlot, overlay.diedOrdinal, slot, ordinals);
  if (ordinals.length > 0) writeNullify(writer, sortOrdinals(ordinals.values.subarray(0, ordinals.length)));
}

function collect(slots: GrowingList, ordinals: GrowingList, slot: number, into: GrowingList): void {
  for (let i = 0; i < slots.length; i++) if (slots.values[i] === slot) push(into, ordinals.values[i] as number);
}

/** Until the file is known, ordinals count from the first Put of the segment. */
function finishOrdinals({ ordinal, length }: Interactions, first: number): void {
  for (let i = 0; i < length; i++) if (ordinal[i] !== DELETED) ordinal[i] = (ordinal[i] as number) + first;
}
