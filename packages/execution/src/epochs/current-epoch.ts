/**
 * The current epoch: its number and beginning, and the record that is sealed for the next one.
 *
 * A block names its epoch. The first block of the next epoch moves the state on, before anything else of it executes.
 */
import { assert, bytesEqual, ContainerType, createCodec } from '@slipstream/primitives';
import {
  bytes32,
  type Governance,
  type GovernanceWire,
  governanceFromWire,
  governanceToWire,
  governanceType,
  NO_RECORD,
  type RecordHash,
  uint32,
  uint53,
} from '@slipstream/types';
import { switchApplications } from '../applications/upgrades.ts';
import type { Entries } from '../overlay.ts';
import { EPOCH_KEY, GOVERNANCE_KEY } from './keys.ts';
import { wakeQueue } from './queue.ts';
import { dropMembers, readHead, writeHead } from './records.ts';
import { decodePresent } from './value.ts';

export interface CurrentEpoch {
  readonly number: number;
  /** Of its first block. */
  readonly firstHeight: number;
  readonly firstView: number;
  /** The oldest record whose members are retained. */
  readonly oldestMembers: number;
  /** NO_RECORD before the seal. */
  readonly sealed: RecordHash;
  /** Of the block that sealed it; 0 before. */
  readonly sealedHeight: number;
}

/** A block may reference chunks of an earlier epoch for so long: as long as a chunk lives. */
const EARLIER_CHUNKS_MS = 60_000;
/** Records dropped by one block. */
const DROPPED_MAX = 4;

const epochType = new ContainerType({
  number: uint32,
  firstHeight: uint53,
  firstView: uint53,
  oldestMembers: uint32,
  sealed: bytes32,
  sealedHeight: uint53,
});
const epochCodec = createCodec<CurrentEpoch, Omit<CurrentEpoch, 'sealed'> & { readonly sealed: Uint8Array }>(
  'current epoch',
  epochType,
  epochType.maxSize,
  { toWire: (current) => current, fromWire: (wire) => ({ ...wire, sealed: wire.sealed as RecordHash }) },
);
const governanceCodec = createCodec<Governance, GovernanceWire>('governance', governanceType, governanceType.maxSize, {
  toWire: governanceToWire,
  fromWire: governanceFromWire,
});

export const GENESIS_CURRENT: CurrentEpoch = {
  number: 0,
  firstHeight: 1,
  firstView: 1,
  oldestMembers: 0,
  sealed: NO_RECORD,
  sealedHeight: 0,
};

export const encodeEpoch = (current: CurrentEpoch): Uint8Array => epochCodec.encode(current);
export const encodeGovernance = (governance: Governance): Uint8Array => governanceCodec.encode(governance);

/** Throws ExecutionError `state-corrupt`. */
export function readEpoch(entries: Pick<Entries, 'get'>): CurrentEpoch {
  return decodePresent(epochCodec, entries.get(EPOCH_KEY));
}

export function writeEpoch(entries: Entries, current: CurrentEpoch): void {
  entries.set(EPOCH_KEY, encodeEpoch(current));
}

/** Throws ExecutionError `state-corrupt`. */
export function readGovernance(entries: Pick<Entries, 'get'>): Governance {
  return decodePresent(governanceCodec, entries.get(GOVERNANCE_KEY));
}

export function writeGovernance(entries: Entries, governance: Governance): void {
  entries.set(GOVERNANCE_KEY, encodeGovernance(governance));
}

interface Position {
  readonly epoch: number;
  readonly height: number;
  readonly view: number;
  readonly timestampMs: number;
}

/** Before the block's transactions. */
export function enterEpoch(entries: Entries, { epoch, height, view, timestampMs }: Position): CurrentEpoch {
  const current = readEpoch(entries);
  if (epoch === current.number) return current;
  assert(epoch === current.number + 1, 'a block is of the epoch of its parent, or of the next');
  assert(!bytesEqual(current.sealed, NO_RECORD), 'an epoch begins with a sealed record');
  writeHead(entries, current.number, { ...readHead(entries, current.number), endedMs: timestampMs });
  const oldestMembers = dropOld(entries, current, timestampMs);
  const next = {
    number: epoch,
    firstHeight: height,
    firstView: view,
    oldestMembers,
    sealed: NO_RECORD,
    sealedHeight: 0,
  };
  writeEpoch(entries, next);
  switchApplications(entries, readHead(entries, epoch).parameters.applications);
  wakeQueue(entries);
  return next;
}

/** No chunk of a dropped epoch is referenced any more. */
function dropOld(entries: Entries, { number, oldestMembers }: CurrentEpoch, nowMs: number): number {
  let oldest = oldestMembers;
  while (oldest < number && oldest < oldestMembers + DROPPED_MAX) {
    if (readHead(entries, oldest).endedMs + EARLIER_CHUNKS_MS > nowMs) break;
    dropMembers(entries, oldest);
    oldest += 1;
  }
  return oldest;
}
