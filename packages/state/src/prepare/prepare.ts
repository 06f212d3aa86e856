/**
 * Prepares a batch: decides all its bytes on disk, and changes nothing. Steps as in docs/protocol/state.md, "State store":
 *
 *   1  the batch's own Puts and Deletes, in the order given
 *   2  compaction, if its log holds too many dead bytes: a new file with the live records; else the file continues
 *   3  relief, if a log ahead has too many dead bytes and too many live ones to be compacted: some of its live records
 *   4  unless the file is new: one Nullify, of the log's records that died by the batches since it was last written, that one included
 *   5  the checksum
 *
 * The bytes do not depend on which records step 1 kills. resolveKeys finds those later.
 *
 * INVARIANT V1: only the batches so far decide the bytes, never what is committed, cached or measured. Steps 2 and 3 depend on sizes
 * alone, and step 4 is in order of ordinals. So a reopened store continues with the same bytes.
 *
 * A compaction may omit a Delete (and a Put that replaced another): each record that it killed stood in a log that was written since, whose
 * Nullify lists the record; or in this log's old file, which is removed.
 */
import { type Batch, isPacked, type PackedBatch } from '../batch.ts';
import type { Committed } from '../committed/committed.ts';
import { resolveKeys } from '../committed/resolve-keys.ts';
import { StateError } from '../errors.ts';
import { CHECKSUM_BYTES, encodeFileHeader } from '../log/format.ts';
import { beginFile, copyLogTable, type LogTable } from '../log/log-table.ts';
import {
  appendNullify,
  nullifyWordsMax,
  type SealedSegment,
  type SegmentIdentity,
  sealSegment,
} from '../log/segment-writer.ts';
import { DELETED, type Interactions, indexInteraction, lineageOf, type Overlay } from '../overlay/overlay.ts';
import type { Chain, StateParameters } from '../parameters.ts';
import { type GrowingList, push } from '../typed-arrays/growing-list.ts';
import { inRanges } from '../typed-arrays/ranges.ts';
import { encodeBatch, measureBatch } from './encode.ts';
import { moveLive } from './moves.ts';
import type { Preparation } from './preparation.ts';

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
  if (parent !== undefined) resolveKeys(committed, parent, parent.interactions.own);
  const number = below.batch + 1;
  const packed = isPacked(batch) ? batch : committed.pack(batch);
  const size = measureBatch(packed);
  const slot = number % (history + 1);
  const logs = copyLogTable(parent?.logs ?? committed.logs);
  const replaced = logs.file[slot] as number;
  const plan = planMoves(chain.parameters, logs, slot, size.putsBytes);
  const lineage = lineageOf(parent);
  const nullified = plan.begins ? NOTHING : nullifyOf(committed, lineage, slot);
  const preparation: Preparation = {
    committed,
    lineage,
    slot,
    logs,
    writer: committed.recycler.writer(size.rowWords + nullifyWordsMax(nullified.length)),
    interactions: committed.recycler.interactions(packed.keyBytes.length),
    diedSlot: committed.recycler.list(),
    diedOrdinal: committed.recycler.list(),
  };
  if (plan.begins && !plan.compacts) startFile(chain, logs, slot, number);
  const link = { batch: number, parent: below.checksum };
  const { bytes, checksum } = writeSegment(chain, preparation, packed, plan, nullified, link);
  const { writer, interactions, diedSlot, diedOrdinal } = preparation;
  finishOrdinals(interactions, logs.puts[slot] as number);
  const offset = logs.bytes[slot] as number;
  logs.bytes[slot] = offset + bytes.length;
  logs.live[slot] = (logs.live[slot] as number) + size.putsBytes;
  logs.puts[slot] = (logs.puts[slot] as number) + writer.puts;
  logs.tip[slot] = checksum;
  return {
    block,
    batch: number,
    parent,
    status: 'prepared',
    resolved: 0,
    slot,
    offset,
    begins: plan.begins,
    replaces: plan.compacts ? replaced : -1,
    words: writer.words,
    bytes,
    checksum,
    interactions,
    logs,
    diedSlot,
    diedOrdinal,
  };
}

/** A batch's work besides its own Puts and Deletes. Sizes alone decide it. */
interface Plan {
  /** The batch begins a file: its log's first, or a compaction. */
  readonly begins: boolean;
  readonly compacts: boolean;
  /** The log that is relieved, or -1. */
  readonly relieves: number;
  /** Bytes that may be moved. */
  readonly budget: number;
}

function planMoves(parameters: StateParameters, logs: LogTable, slot: number, own: number): Plan {
  const budget = Math.max(parameters.moveBytesMax, own);
  const isFirst = (logs.file[slot] as number) < 0;
  const compacts = !isFirst && hasTooManyDead(logs, slot, parameters) && (logs.live[slot] as number) <= budget;
  const relieves = logToRelieve(parameters, logs, slot);
  return { begins: isFirst || compacts, compacts, relieves, budget };
}

type Link = Pick<SegmentIdentity, 'batch' | 'parent'>;

function writeSegment(
  chain: Chain,
  preparation: Preparation,
  packed: PackedBatch,
  { compacts, relieves, budget }: Plan,
  nullified: Int32Array,
  link: Link,
): SealedSegment {
  const { committed, logs, slot, writer, interactions } = preparation;
  encodeBatch(writer, packed, committed.hashKey, interactions);
  indexBatch(preparation, packed.keyBytes.length);
  let moved = 0;
  if (compacts) {
    moved = moveLive(preparation, slot, Number.POSITIVE_INFINITY);
    startFile(chain, logs, slot, link.batch);
  }
  if (relieves >= 0 && moved < budget) moved += moveLive(preparation, relieves, budget - moved);
  logs.live[slot] = (logs.live[slot] as number) + moved;
  appendNullify(writer, nullified);
  return sealSegment(writer, { ...link, previous: logs.tip[slot] as Uint8Array });
}

function indexBatch({ writer, interactions }: Preparation, count: number): void {
  const { words } = writer;
  interactions.length = count;
  interactions.own = count;
  // Cleared only now: clearing brings the slots into the caches before the random probes.
  interactions.slots.fill(0);
  inRanges(0, count, (from, to) => indexRange(interactions, words, from, to));
}

/** A named function: V8 would compile the closure again for each batch. */
function indexRange(interactions: Interactions, words: Int32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    if (indexInteraction(interactions, words, i)) continue;
    throw new StateError('bad-batch', `write ${i} is of a key that stands in the batch already`, { index: i });
  }
}

function hasTooManyDead({ bytes, live }: LogTable, slot: number, parameters: StateParameters): boolean {
  const alive = live[slot] as number;
  const dead = (bytes[slot] as number) - alive;
  if (dead <= parameters.deadBytesMin) return false;
  return dead > parameters.deadBytesMax || dead * 100 > alive * parameters.deadPercent;
}

function startFile({ genesisHash, parameters: { history } }: Chain, logs: LogTable, slot: number, file: number): void {
  beginFile(logs, slot, file, encodeFileHeader({ genesisHash, history, file }).slice(-CHECKSUM_BYTES));
}

/** Step 3: the first log ahead that needs relief, or -1. */
function logToRelieve(parameters: StateParameters, logs: LogTable, slot: number): number {
  const count = parameters.history + 1;
  for (let ahead = 1; ahead < count; ahead++) {
    const other = (slot + ahead) % count;
    if ((logs.live[other] as number) <= parameters.moveBytesMax) continue;
    if (hasTooManyDead(logs, other, parameters)) return other;
  }
  return -1;
}

const NOTHING = new Int32Array();

/** Step 4: the ordinals, valid until the next batch is prepared. */
function nullifyOf(committed: Committed, lineage: readonly Overlay[], slot: number): Int32Array {
  committed.ordinals.begin();
  const { list } = committed.ordinals;
  const written = lineage.findIndex((overlay) => overlay.slot === slot);
  if (written < 0) {
    const { values, length } = committed.died[slot] as GrowingList;
    for (let i = 0; i < length; i++) push(list, values[i] as number);
  }
  const since = written < 0 ? lineage : lineage.slice(0, written + 1);
  for (const overlay of since) collectDied(overlay.diedSlot, overlay.diedOrdinal, slot, list);
  return committed.ordinals.sorted();
}

function collectDied(slots: GrowingList, ordinals: GrowingList, slot: number, into: GrowingList): void {
  for (let i = 0; i < slots.length; i++) if (slots.values[i] === slot) push(into, ordinals.values[i] as number);
}

/** Turns ordinals of the segment into ordinals of the file. */
function finishOrdinals({ ordinal, length }: Interactions, first: number): void {
  for (let i = 0; i < length; i++) if (ordinal[i] !== DELETED) ordinal[i] = (ordinal[i] as number) + first;
}
