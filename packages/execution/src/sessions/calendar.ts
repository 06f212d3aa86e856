/**
 * Calendar of session records: removes expired records, a bounded number per block.
 *
 *   's' || "sessions"              -> oldest day u32 | records listed u64                  none when no record is listed
 *   'e' || day u32 BE              -> listed u32 | removed u32
 *   'e' || day u32 BE || n u32 BE  -> grant id (32)
 *
 * At the end of a block new records are listed under the day (UTC) of their expiry, in write order. Then records of days that ended
 * before yesterday are removed, oldest day first, in listing order. All follows from the block's writes, its timestamp and the state, so
 * every node removes the same records.
 *
 * Removing a record restores no session, because its proofs have expired too. For a day an ended session is rejected as expired, later
 * as unknown. The price of a record includes its calendar entries.
 */
import { assert, concatBytes, utf8 } from '@slipstream/primitives';
import type { GrantId } from '@slipstream/types';
import { ExecutionError } from '../errors.ts';
import type { Scratch } from '../overlay.ts';
import { type ReadState, type StateKey, SYSTEM, stateKey } from '../state-keys.ts';
import type { Write } from '../write-columns.ts';
import { expiryOfSession, sessionStateKey } from './record.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const CALENDAR = 0x65;
const OLDEST_KEY: StateKey = stateKey(concatBytes(new Uint8Array([SYSTEM]), utf8('sessions')));

/** About 1 ms per block; at five blocks per second twice as many as a two-core node can check credentials. */
export const SESSIONS_REMOVED_MAX = 256;
/** Days without a record that a block may pass. */
const DAYS_PASSED_MAX = 31;

interface Oldest {
  readonly day: number;
  /** Records listed and not removed, of all days. */
  readonly records: number;
}

interface Day {
  readonly listed: number;
  readonly removed: number;
}

interface CalendarBlock {
  /** Session records that the block wrote. */
  readonly written: readonly Write[];
  /** Reads the state before the block. */
  readonly read: ReadState;
  readonly timestampMs: number;
}

/** Lists new records, removes ended ones, and returns their counts. */
export function turnCalendar(
  scratch: Scratch,
  { written, read, timestampMs }: CalendarBlock,
): { readonly made: number; readonly removed: number } {
  let oldest = readOldest(scratch) ?? { day: Number.MAX_SAFE_INTEGER, records: 0 };
  let made = 0;
  for (const { key, value } of written) {
    if (value === undefined || read(key) !== undefined) continue;
    const day = Math.floor(expiryOfSession(value) / DAY_MS);
    list(scratch, day, key.subarray(1) as GrantId);
    oldest = { day: Math.min(oldest.day, day), records: oldest.records + 1 };
    made += 1;
  }
  if (oldest.records === 0) return { made, removed: 0 };
  const rest = removeEnded(scratch, oldest, Math.floor(timestampMs / DAY_MS) - 1);
  scratch.set(OLDEST_KEY, rest.records === 0 ? undefined : encodeOldest(rest));
  return { made, removed: oldest.records - rest.records };
}

function list(scratch: Scratch, day: number, id: GrantId): void {
  const { listed, removed } = readDay(scratch, day);
  scratch.set(entryKey(day, listed), id.slice());
  scratch.set(dayKey(day), pairOf(listed + 1, removed));
}

/** Removes records of days before `endDay`. Returns where the next block continues. */
function removeEnded(scratch: Scratch, { day, records }: Oldest, endDay: number): Oldest {
  let left = SESSIONS_REMOVED_MAX;
  const lastDay = Math.min(endDay, day + DAYS_PASSED_MAX);
  while (records > 0 && day < lastDay) {
    const { removed, isEmpty } = removeOfDay(scratch, day, left);
    left -= removed;
    records -= removed;
    if (!isEmpty) break;
    day += 1;
  }
  return { day, records };
}

function removeOfDay(
  scratch: Scratch,
  day: number,
  removedMax: number,
): { readonly removed: number; readonly isEmpty: boolean } {
  const { listed, removed: before } = readDay(scratch, day);
  const end = Math.min(listed, before + removedMax);
  for (let n = before; n < end; n++) {
    const entry = entryKey(day, n);
    const id = scratch.get(entry);
    assert(id !== undefined, 'a day holds what it lists');
    scratch.set(sessionStateKey(id as GrantId), undefined);
    scratch.set(entry, undefined);
  }
  const isEmpty = end === listed;
  if (listed > 0) scratch.set(dayKey(day), isEmpty ? undefined : pairOf(listed, end));
  return { removed: end - before, isEmpty };
}

function dayKey(day: number): StateKey {
  return stateKey(bigEndian(day));
}

function entryKey(day: number, n: number): StateKey {
  return stateKey(bigEndian(day, n));
}

function bigEndian(...numbers: readonly number[]): Uint8Array {
  const key = new Uint8Array(1 + 4 * numbers.length);
  key[0] = CALENDAR;
  const view = new DataView(key.buffer);
  for (const [i, number] of numbers.entries()) view.setUint32(1 + 4 * i, number);
  return key;
}

function pairOf(listed: number, removed: number): Uint8Array {
  const value = new Uint8Array(8);
  const view = new DataView(value.buffer);
  view.setUint32(0, listed, true);
  view.setUint32(4, removed, true);
  return value;
}

function readDay(scratch: Scratch, day: number): Day {
  const value = scratch.get(dayKey(day));
  if (value === undefined) return { listed: 0, removed: 0 };
  const view = viewOf(value, 8, 'a day of the calendar');
  return { listed: view.getUint32(0, true), removed: view.getUint32(4, true) };
}

function encodeOldest({ day, records }: Oldest): Uint8Array {
  const value = new Uint8Array(12);
  const view = new DataView(value.buffer);
  view.setUint32(0, day, true);
  view.setBigUint64(4, BigInt(records), true);
  return value;
}

function readOldest(scratch: Scratch): Oldest | undefined {
  const value = scratch.get(OLDEST_KEY);
  if (value === undefined) return undefined;
  const view = viewOf(value, 12, 'the head of the calendar');
  return { day: view.getUint32(0, true), records: Number(view.getBigUint64(4, true)) };
}

function viewOf(value: Uint8Array, bytes: number, what: string): DataView {
  if (value.length !== bytes) {
    throw new ExecutionError('state-corrupt', `${what} has ${bytes} bytes, this one ${value.length}`, {});
  }
  return new DataView(value.buffer, value.byteOffset, bytes);
}
