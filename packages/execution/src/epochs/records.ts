/** Records in the state: a head with the parameters, and an entry a member. */
import { ContainerType, createCodec } from '@slipstream/primitives';
import {
  type EpochParameters,
  type EpochRecord,
  epoch as epochOf,
  epochParametersType,
  type RecordMember,
  recordMemberCodec,
  uint16,
  uint53,
} from '@slipstream/types';
import type { Entries, FetchedEntries } from '../overlay.ts';
import type { Write } from '../write-columns.ts';
import { recordHeadKey, recordMemberKey } from './keys.ts';
import { decodePresent } from './value.ts';

export interface RecordHead {
  readonly version: number;
  readonly members: number;
  readonly parameters: EpochParameters;
  /** Block time of the next epoch's first block; 0 before it. */
  readonly endedMs: number;
}

const headType = new ContainerType({
  version: uint16,
  members: uint16,
  parameters: epochParametersType,
  endedMs: uint53,
});
const headCodec = createCodec<RecordHead>('record head', headType, headType.maxSize);

export function recordEntries({ epoch, version, parameters, members }: EpochRecord): readonly Write[] {
  const head = { version, members: members.length, parameters, endedMs: 0 };
  return [
    { key: recordHeadKey(epoch).bytes, value: headCodec.encode(head) },
    ...members.map((member, index) => ({
      key: recordMemberKey(epoch, index).bytes,
      value: recordMemberCodec.encode(member),
    })),
  ];
}

export function writeRecord(entries: Entries, record: EpochRecord): void {
  const { epoch, version, parameters, members } = record;
  writeHead(entries, epoch, { version, members: members.length, parameters, endedMs: 0 });
  for (const [index, member] of members.entries()) {
    entries.set(recordMemberKey(epoch, index), recordMemberCodec.encode(member));
  }
}

/** Throws ExecutionError `state-corrupt` when there is no such epoch. */
export function readHead(entries: Pick<Entries, 'get'>, epoch: number): RecordHead {
  return decodePresent(headCodec, entries.get(recordHeadKey(epoch)));
}

export function writeHead(entries: Entries, epoch: number, head: RecordHead): void {
  entries.set(recordHeadKey(epoch), headCodec.encode(head));
}

/** Throws ExecutionError `state-corrupt` when there is no such member. */
export function readMember(entries: Pick<Entries, 'get'>, epoch: number, index: number): RecordMember {
  return decodePresent(recordMemberCodec, entries.get(recordMemberKey(epoch, index)));
}

export function readMembers(entries: Pick<Entries, 'get'>, epoch: number, count: number): readonly RecordMember[] {
  return Array.from({ length: count }, (_, index) => readMember(entries, epoch, index));
}

/** Throws ExecutionError `state-corrupt`, also for an epoch whose members are no longer retained. */
export function readRecord(entries: Pick<Entries, 'get'>, epoch: number): EpochRecord {
  const { version, parameters, members } = readHead(entries, epoch);
  return { epoch: epochOf(epoch), version, parameters, members: readMembers(entries, epoch, members) };
}

/** Throws ExecutionError `state-corrupt`, as `readRecord`. */
export function readRecordsTogether(entries: FetchedEntries, epochs: readonly number[]): readonly EpochRecord[] {
  entries.want(epochs.map(recordHeadKey));
  const memberKeys = epochs.flatMap((epoch) =>
    Array.from({ length: readHead(entries, epoch).members }, (_, index) => recordMemberKey(epoch, index)),
  );
  entries.want(memberKeys);
  return epochs.map((epoch) => readRecord(entries, epoch));
}

/** Throws ExecutionError `state-corrupt`, as `readRecord`. */
export function readRecordTogether(entries: FetchedEntries, epoch: number): EpochRecord {
  return readRecordsTogether(entries, [epoch])[0] as EpochRecord;
}

/** The head stays: it says when the epoch ended. */
export function dropMembers(entries: Entries, epoch: number): void {
  const { members } = readHead(entries, epoch);
  for (let index = 0; index < members; index++) entries.set(recordMemberKey(epoch, index), undefined);
}
