/**
 * The queue of changes that wait for a seal, oldest first.
 *
 *   's' || "changes"  -> how many; earliest time at which one could have become due
 *   'c' || number     -> a proposal, or a validator that rotates, leaves, was reported or is to lead no view; numbered from 0 without holes
 *
 * A block looks at the queue only when its time has come: an action wakes it, and a pass that finds nothing to do puts it to sleep.
 */
import { ContainerType, createCodec } from '@slipstream/primitives';
import { bytes32, uint8, uint32, uint53 } from '@slipstream/types';
import type { Entries } from '../overlay.ts';
import { CHANGES_KEY, changeKey } from './keys.ts';
import { decodePresent, decodeValue } from './value.ts';

const WAITING_KINDS = ['proposal', 'rotation', 'leave', 'report', 'bench'] as const;

export interface Waiting {
  readonly kind: (typeof WAITING_KINDS)[number];
  /** Of the proposal, or the validator. */
  readonly id: Uint8Array;
}

interface QueueHead {
  readonly length: number;
  /** Block time; ASLEEP: until an action wakes it. */
  readonly wakeMs: number;
}

export const ASLEEP = Number.MAX_SAFE_INTEGER;

const EMPTY: QueueHead = { length: 0, wakeMs: ASLEEP };

const headType = new ContainerType({ length: uint32, wakeMs: uint53 });
const headCodec = createCodec<QueueHead>('queue of changes', headType, headType.maxSize);
const waitingType = new ContainerType({ kind: uint8, id: bytes32 });
const waitingCodec = createCodec<Waiting, { readonly kind: number; readonly id: Uint8Array }>(
  'waiting change',
  waitingType,
  waitingType.maxSize,
  {
    toWire: ({ kind, id }) => ({ kind: WAITING_KINDS.indexOf(kind), id }),
    fromWire: ({ kind, id }) => {
      const name = WAITING_KINDS[kind];
      if (name === undefined) throw new RangeError(`unknown kind ${kind}`);
      return { kind: name, id };
    },
  },
);

export function readQueue(entries: Pick<Entries, 'get'>): QueueHead {
  const value = entries.get(CHANGES_KEY);
  return value === undefined ? EMPTY : decodeValue(headCodec, value);
}

function writeQueue(entries: Entries, head: QueueHead): void {
  entries.set(CHANGES_KEY, headCodec.encode(head));
}

export function enqueue(entries: Entries, waiting: Waiting): void {
  const { length } = readQueue(entries);
  entries.set(changeKey(length), waitingCodec.encode(waiting));
  writeQueue(entries, { length: length + 1, wakeMs: 0 });
}

export function wakeQueue(entries: Entries): void {
  const head = readQueue(entries);
  if (head.length > 0) writeQueue(entries, { ...head, wakeMs: 0 });
}

export function readWaiting(entries: Pick<Entries, 'get'>): readonly Waiting[] {
  const { length } = readQueue(entries);
  return Array.from({ length }, (_, number) => decodePresent(waitingCodec, entries.get(changeKey(number))));
}

/** Keeps what still waits, in order, and sleeps until `wakeMs`. */
export function settleQueue(entries: Entries, left: readonly Waiting[], wakeMs: number): void {
  const { length } = readQueue(entries);
  if (left.length < length) {
    for (let number = 0; number < length; number++) {
      const waiting = left[number];
      entries.set(changeKey(number), waiting && waitingCodec.encode(waiting));
    }
  }
  writeQueue(entries, { length: left.length, wakeMs: left.length === 0 ? ASLEEP : wakeMs });
}
