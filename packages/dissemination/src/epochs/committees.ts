/**
 * Committees of the epochs whose chunks count. A chunk is judged by the committee of its own epoch (D18).
 *
 *   record --sealed--> next --moved--> current --moved--> closed --60 s of block time after its end--> forgotten
 *
 * A validator keeps its id over epochs, while its index and keys may change. So quotas go by id, and a peer stands for the validator
 * whose key it has in any known epoch: at a rotation nodes change their identity one after another.
 */
import type { Clock, PeerKey } from '@slipstream/ports';
import { assert, toHex } from '@slipstream/primitives';
import {
  type Block,
  type ChunkHeader,
  type Committee,
  committeeOfRecord,
  type Epoch,
  type EpochRecord,
  epoch as epochOf,
  NO_UNITS,
  type RecordMember,
  type Units,
} from '@slipstream/types';
import { EARLIER_EPOCHS_MAX, LATE_CHUNKS_MS, REFERENCE_WINDOW_MS } from '../limits.ts';

/** Records of epochs, and this node's part in them. */
export interface Epochs {
  /**
   * Of the current epoch, of each earlier one until 60 s of block time after its end, and of the one before the oldest of these, whose
   * committee issued credentials that are in chunks.
   */
  of(epoch: Epoch): EpochRecord | undefined;
  /** Read at start and by `moved`. */
  now(): Epoch;
  /** This node's index in the committee; undefined: it does not sign in this epoch. */
  self(epoch: Epoch): number | undefined;
  /** Timestamp of the last block; undefined while the epoch runs. */
  endedMs(epoch: Epoch): number | undefined;
}

/** Lower-case hex of a validator id. */
export type ValidatorName = string;

export interface EpochCommittee extends Committee {
  /** Of its record. */
  readonly unitLimits: Units;
  /** This node's index. */
  readonly self: number | undefined;
  indexOf(peer: PeerKey): number | undefined;
  validatorAt(index: number): ValidatorName | undefined;
  /** The validator's keys in the current epoch, else in this one: the newest first. None: there is no such member. */
  peersOf(index: number): readonly PeerKey[];
  /** The first of them. */
  peerOf(index: number): PeerKey | undefined;
}

interface KnownCommittee extends EpochCommittee {
  readonly peersOfValidator: ReadonlyMap<ValidatorName, readonly PeerKey[]>;
  readonly indices: ReadonlyMap<ValidatorName, number>;
}

type Timed = Pick<Block, 'epoch' | 'timestampMs'>;
type Producer = Pick<ChunkHeader, 'epoch' | 'producer'>;

export interface Committees {
  readonly current: EpochCommittee;
  /** The next epoch is known: the current one ends within some blocks. */
  isSealed(): boolean;
  /** Ended here so shortly that its producers may not know it: their chunks count like those of the current epoch. */
  isJustClosed(epoch: Epoch): boolean;
  /** So shortly ago that others may not have moved: what takes long now says nothing about them. */
  hasJustMoved(): boolean;
  /** No older epoch is known. */
  readonly oldest: Epoch;
  /** Undefined: not sealed yet, or over for long. */
  of(epoch: Epoch): EpochCommittee | undefined;
  /** Also of the sealed epoch, and the one before the oldest. Throws for others. */
  recordOf(epoch: Epoch): EpochRecord;
  /** Of a member of any known epoch. */
  validatorOf(peer: PeerKey): ValidatorName | undefined;
  producerOf(header: Producer): ValidatorName | undefined;
  /** The producer's index in the current committee; of a validator that left, in that of the epoch. */
  currentIndexOf(header: Producer): number;
  isOwn(header: Producer): boolean;
  /** Whether the peer signs with this index in some known epoch, or in none at all. */
  isSigner(peer: PeerKey, index: number): boolean;
  /** The block may not reference chunks of the epoch, which is not a later one than its own. */
  isOver(epoch: Epoch, block: Timed): boolean;
  /** Of a block: in each dimension the largest of its epoch and of those whose chunks it may reference (D14). */
  blockLimits(block: Timed): Units;
  /** Of a transaction that comes now: in each dimension the smaller of the current epoch and the sealed next one. */
  intakeLimits(): Units;
  /** The next epoch is known. */
  sealed(record: EpochRecord): void;
  /** The current epoch is another one. */
  moved(): void;
  /** Forgets the epochs that are over for blocks of this timestamp. */
  expire(timestampMs: number): void;
}

function limitsOf(...committees: readonly (KnownCommittee | undefined)[]): readonly Units[] {
  return committees.flatMap((committee) => (committee === undefined ? [] : [committee.unitLimits]));
}

/** Of `first`, if it is known, and of the epochs before it as long as they are valid and known. */
function limitsDown(
  of: (epoch: Epoch) => KnownCommittee | undefined,
  first: Epoch,
  isValid: (epoch: Epoch) => boolean,
): readonly Units[] {
  const found: Units[] = [];
  for (let epoch: number = first; epoch >= 0 && isValid(epochOf(epoch)); epoch--) {
    const committee = of(epochOf(epoch));
    if (committee !== undefined) found.push(committee.unitLimits);
    else if (epoch < first) break;
  }
  return found;
}

/** In each dimension; none: no units. */
function eachOf(choose: (...values: number[]) => number, all: readonly Units[]): Units {
  return all.length === 0 ? NO_UNITS : NO_UNITS.map((_, at) => choose(...all.map((units) => units[at] as number)));
}

function peersOf({ peerKey, previousPeerKey }: RecordMember): readonly PeerKey[] {
  return previousPeerKey === undefined ? [peerKey] : [peerKey, previousPeerKey];
}

/** The sealed one comes by itself. */
function createRecords(epochs: Epochs) {
  let sealed: EpochRecord | undefined;
  const find = (epoch: Epoch) => (sealed?.epoch === epoch ? sealed : epochs.of(epoch));
  return {
    find,
    of(epoch: Epoch): EpochRecord {
      const record = find(epoch);
      assert(record !== undefined, `the record of epoch ${epoch} is known while chunks are judged by it`);
      return record;
    },
    sealed(record: EpochRecord): void {
      sealed = record;
    },
  };
}

function createLastMove({ monotonicMs }: Pick<Clock, 'monotonicMs'>) {
  let atMs = Number.NEGATIVE_INFINITY;
  return {
    moved() {
      atMs = monotonicMs();
    },
    isRecent: () => monotonicMs() - atMs < LATE_CHUNKS_MS,
  };
}

export function createCommittees(epochs: Epochs, clock: Pick<Clock, 'monotonicMs'>): Committees {
  const known = new Map<Epoch, KnownCommittee>();
  const validators = new Map<PeerKey, ValidatorName>();
  const records = createRecords(epochs);
  let oldest = epochOf(0);
  let current = requireCurrent();
  /** Asked for each transaction. */
  let intakeLimits = readIntakeLimits();
  const move = createLastMove(clock);
  readValidators();

  function requireCurrent(): KnownCommittee {
    const epoch = epochs.now();
    return known.get(epoch) ?? know(records.of(epoch));
  }

  function readIntakeLimits(): Units {
    return eachOf(Math.min, limitsOf(current, known.get(epochOf(current.epoch + 1))));
  }

  function know(record: EpochRecord): KnownCommittee {
    const made = knownCommittee(record, { self: () => epochs.self(record.epoch), validators, current: () => current });
    known.set(record.epoch, made);
    return made;
  }

  function of(epoch: Epoch): KnownCommittee | undefined {
    if (epoch < oldest) return undefined;
    const made = known.get(epoch);
    if (made !== undefined || epoch > current.epoch) return made;
    const record = epochs.of(epoch);
    return record && know(record);
  }

  function readValidators(): void {
    validators.clear();
    const first = Math.max(oldest, current.epoch - EARLIER_EPOCHS_MAX - 1);
    for (let epoch = current.epoch + 1; epoch >= first; epoch--) {
      const record = records.find(epochOf(epoch));
      if (of(epochOf(epoch)) === undefined) continue;
      for (const member of record?.members ?? []) {
        for (const peer of peersOf(member)) validators.set(peer, toHex(member.validatorId));
      }
    }
  }

  function isOver(epoch: Epoch, block: Timed): boolean {
    const isTooOld = epoch + EARLIER_EPOCHS_MAX < block.epoch;
    return isTooOld || (epoch < block.epoch && endedLongBefore(epoch, block.timestampMs));
  }

  function endedLongBefore(epoch: Epoch, timestampMs: number): boolean {
    const endedMs = epochs.endedMs(epoch);
    return endedMs === undefined ? of(epoch) === undefined : endedMs + REFERENCE_WINDOW_MS <= timestampMs;
  }

  return {
    get current() {
      return current;
    },
    get oldest() {
      return oldest;
    },
    of,
    isJustClosed: (epoch) => epoch + 1 === current.epoch && move.isRecent(),
    hasJustMoved: move.isRecent,
    isSealed: () => known.has(epochOf(current.epoch + 1)),
    recordOf: records.of,
    validatorOf: (peer) => validators.get(peer),
    producerOf: ({ epoch, producer }) => of(epoch)?.validatorAt(producer),
    currentIndexOf({ epoch, producer }) {
      const name = of(epoch)?.validatorAt(producer);
      return (name === undefined ? undefined : current.indices.get(name)) ?? producer;
    },
    isOwn: ({ epoch, producer }) => of(epoch)?.self === producer,
    isSigner(peer, index) {
      if (!validators.has(peer)) return true;
      return [...known.values()].some((committee) => committee.indexOf(peer) === index);
    },
    isOver,
    blockLimits(block) {
      const isValid = (epoch: Epoch) => epoch === block.epoch || (epoch >= oldest && !isOver(epoch, block));
      return eachOf(Math.max, limitsDown(of, block.epoch, isValid));
    },
    intakeLimits: () => intakeLimits,
    sealed(record) {
      if (record.epoch !== current.epoch + 1 || known.has(record.epoch)) return;
      records.sealed(record);
      know(record);
      intakeLimits = readIntakeLimits();
      readValidators();
    },
    moved() {
      move.moved();
      current = requireCurrent();
      intakeLimits = readIntakeLimits();
      readValidators();
    },
    expire(timestampMs) {
      const before = oldest;
      // The last blocks of the epoch before may wait for execution.
      const first = current.epoch - EARLIER_EPOCHS_MAX - 1;
      while (oldest < current.epoch && (oldest < first || endedLongBefore(oldest, timestampMs))) {
        known.delete(oldest);
        oldest = epochOf(oldest + 1);
      }
      if (oldest > before) readValidators();
    },
  };
}

interface CommitteeSurroundings {
  self(): ReturnType<Epochs['self']>;
  readonly validators: ReadonlyMap<PeerKey, ValidatorName>;
  current(): KnownCommittee;
}

function knownCommittee(record: EpochRecord, { self, validators, current }: CommitteeSurroundings): KnownCommittee {
  const names = record.members.map(({ validatorId }) => toHex(validatorId));
  const indices = new Map(names.map((name, index) => [name, index]));
  const peers = new Map(record.members.map((member, i) => [names[i] as ValidatorName, peersOf(member)]));
  const made: KnownCommittee = {
    ...committeeOfRecord(record),
    unitLimits: record.parameters.fees.limits,
    get self() {
      return self();
    },
    indexOf(peer) {
      const name = validators.get(peer);
      return name === undefined ? undefined : indices.get(name);
    },
    validatorAt: (index) => names[index],
    peersOf: (index) => current().peersOfValidator.get(names[index] ?? '') ?? peers.get(names[index] ?? '') ?? [],
    peerOf: (index) => made.peersOf(index)[0],
    peersOfValidator: peers,
    indices,
  };
  return made;
}
