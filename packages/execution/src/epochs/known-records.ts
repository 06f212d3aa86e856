/** The records that the state holds whole, and the one that is sealed for the next epoch. */
import { bytesEqual } from '@slipstream/primitives';
import { type EpochRecord, NO_RECORD, type RecordHash } from '@slipstream/types';
import type { Entries } from '../overlay.ts';
import { readEpoch } from './current-epoch.ts';
import { readRecord } from './records.ts';

export interface EpochSeal {
  readonly recordHash: RecordHash;
  /** Of the sealing block. */
  readonly height: number;
  /** Of the next epoch. */
  readonly record: EpochRecord;
}

/** Undefined before the seal of the state's epoch. Throws ExecutionError `state-corrupt`. */
export function readSeal(entries: Pick<Entries, 'get'>): EpochSeal | undefined {
  const { number, sealed, sealedHeight } = readEpoch(entries);
  if (bytesEqual(sealed, NO_RECORD)) return undefined;
  return { recordHash: sealed, height: sealedHeight, record: readRecord(entries, number + 1) };
}

/** Ascending, without gaps: from the oldest retained one to the newest, which may be sealed only. Throws ExecutionError `state-corrupt`. */
export function readRecords(entries: Pick<Entries, 'get'>): readonly EpochRecord[] {
  const { number, oldestMembers, sealed } = readEpoch(entries);
  const newest = bytesEqual(sealed, NO_RECORD) ? number : number + 1;
  return Array.from({ length: newest - oldestMembers + 1 }, (_, i) => readRecord(entries, oldestMembers + i));
}
