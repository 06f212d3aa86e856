/** What a call in hand has used: its keys by number, and its units (applications.md, A4 and A5). */
import { CodedError } from '@slipstream/primitives';
import type { FailureCode } from '@slipstream/types';
import { isSameKey, type StateKey } from '../state-keys.ts';

export class CallRefused extends CodedError<FailureCode> {}

export function refusal(code: FailureCode): CallRefused {
  return new CallRefused(code, `the call is refused: ${code}`);
}

export interface CallLimits {
  readonly reads: number;
  readonly writes: number;
  readonly bytes: number;
}

interface UsedKey {
  readonly key: StateKey;
  readonly isBalance: boolean;
  isRead: boolean;
  isWritten: boolean;
  /** The longest value put. */
  bytes: number;
}

/** Functions with a number or a key throw CallRefused. */
export interface Usage {
  /** Forgets the call before. */
  begin(limits: CallLimits): void;
  /** Until `declared`, keys are asked for, and none is accessed. */
  declaring(): void;
  /** No other key is known after it. */
  declared(): void;
  numberOf(key: StateKey, isBalance: boolean): number;
  read(number: number): UsedKey;
  write(number: number, bytes: number): UsedKey;
  emit(bytes: number): void;
  /** In the order of their first use. */
  keys(): readonly StateKey[];
}

/** Up to this many keys are compared in turn: their texts would cost more. */
const COMPARED_MAX = 8;

export function createUsage(): Usage {
  const used: UsedKey[] = [];
  /** By text, once there are more than `COMPARED_MAX`. */
  const numbers = new Map<string, number>();
  let limits: CallLimits = { reads: 0, writes: 0, bytes: 0 };
  let isDeclaring = false;
  /** Keys may be added. */
  let isOpen = true;
  let reads = 0;
  let writes = 0;
  let bytes = 0;

  function numberOfUsed(key: StateKey): number | undefined {
    if (used.length > COMPARED_MAX) return numbers.get(key.text);
    for (let i = 0; i < used.length; i++) if (isSameKey((used[i] as UsedKey).key, key)) return i;
    return undefined;
  }

  function accessed(number: number): UsedKey {
    const one = used[number];
    if (one === undefined || isDeclaring) throw refusal('application-fault');
    return one;
  }

  function addBytes(added: number): void {
    bytes += added;
    if (bytes > limits.bytes) throw refusal('out-of-units');
  }

  return {
    begin(next) {
      used.length = 0;
      numbers.clear();
      limits = next;
      isDeclaring = false;
      isOpen = true;
      reads = writes = bytes = 0;
    },
    declaring() {
      isDeclaring = true;
    },
    declared() {
      isDeclaring = isOpen = false;
    },
    numberOf(key, isBalance) {
      const known = numberOfUsed(key);
      if (known !== undefined) return known;
      if (!isOpen) throw refusal('undeclared-key');
      if (used.length === COMPARED_MAX) for (const [number, one] of used.entries()) numbers.set(one.key.text, number);
      if (used.length >= COMPARED_MAX) numbers.set(key.text, used.length);
      return used.push({ key, isBalance, isRead: false, isWritten: false, bytes: 0 }) - 1;
    },
    read(number) {
      const one = accessed(number);
      if (!one.isRead) reads += 1;
      one.isRead = true;
      if (reads > limits.reads) throw refusal('out-of-units');
      return one;
    },
    write(number, length) {
      const one = accessed(number);
      if (!one.isWritten) writes += 1;
      one.isWritten = true;
      if (writes > limits.writes) throw refusal('out-of-units');
      addBytes(Math.max(0, length - one.bytes));
      one.bytes = Math.max(one.bytes, length);
      return one;
    },
    emit(length) {
      if (isDeclaring) throw refusal('application-fault');
      addBytes(length);
    },
    keys: () => used.map(({ key }) => key),
  };
}
