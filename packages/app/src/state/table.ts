/** Values by key, in no order. */
import { decode, encode, type Form } from '../forms/form.ts';
import { callInHand, hostInHand } from './call-in-hand.ts';
import { createTableNumber, type StateEntry } from './entry.ts';
import { type Key, type KeyCodec, type KeyForms, type KeyOf, keyCodec } from './keys.ts';
import { keyNumber, store, stored } from './stored.ts';
import { type ValueCodec, type VersionOptions, valueCodec } from './values.ts';

/** @typeParam R what `get` answers: undefined for an absent entry, unless the table has an `empty` value */
export interface Table<K, T, R = T | undefined> {
  get(key: K): R;
  set(key: K, value: T): void;
  delete(key: K): void;
  /** Declares the entry, in `keys` of an action. */
  key(key: K): Key;
  readonly entry: StateEntry;
}

export interface EmptyOption<T> {
  /** What an absent entry reads as. Setting it deletes the entry. */
  readonly empty: T;
}

export function table<const K extends KeyForms, T, O>(
  key: K,
  value: Form<T>,
  options: EmptyOption<NoInfer<T>> & VersionOptions<NoInfer<T>, O>,
): Table<KeyOf<K>, T, T>;
export function table<const K extends KeyForms, T, O>(
  key: K,
  value: Form<T>,
  options?: VersionOptions<NoInfer<T>, O>,
): Table<KeyOf<K>, T>;
export function table<const K extends KeyForms, T, O>(
  key: K,
  value: Form<T>,
  options: Partial<EmptyOption<T>> & VersionOptions<T, O> = {},
): Table<KeyOf<K>, T> {
  return createTable('table', keyCodec(key), valueCodec(value, options), options.empty);
}

export function createTable<K, T>(
  kind: 'table' | 'cell',
  key: KeyCodec<K>,
  value: ValueCodec<T>,
  empty: T | undefined,
): Table<K, T> {
  const number = createTableNumber();
  const isEmpty = createEmptyCheck(value, empty);
  const numberOf = createKeyMemory((wanted: K) => keyNumber(number.get(), key, wanted));
  return {
    get(wanted) {
      const at = numberOf(wanted);
      return stored(at, value, isEmpty.value);
    },
    set(wanted, next) {
      const at = numberOf(wanted);
      if (isEmpty.holds(next)) hostInHand().put(at, undefined, 0);
      else store(at, value, next);
    },
    delete(wanted) {
      hostInHand().put(numberOf(wanted), undefined, 0);
    },
    key: (wanted) => ({ number: numberOf(wanted) }),
    entry: { kind, key: key as KeyCodec<unknown>, value: value as ValueCodec<unknown>, empty, number },
  };
}

interface EmptyCheck<T> {
  holds(value: T): boolean;
  value(): T | undefined;
}

/** Objects are compared by their bytes, and made for each reader: no action can change what the next one reads. */
function createEmptyCheck<T>({ form }: ValueCodec<T>, empty: T | undefined): EmptyCheck<T> {
  if (empty === undefined) return { holds: () => false, value: () => undefined };
  const bytes = encode(form, empty);
  if (typeof empty !== 'object') return { holds: (value) => value === empty, value: () => empty };
  return {
    holds(value) {
      const others = encode(form, value);
      return others.length === bytes.length && others.every((byte, i) => byte === bytes[i]);
    },
    value: () => decode(form, bytes),
  };
}

const REMEMBERED_MAX = 8;

/**
 * Numbers of the keys that a call asked for most recently: an action reads and writes the same few. Only keys that are one plain value,
 * since lists and arrays of bytes may change. Each call begins without any, so that its ticks do not depend on others.
 */
function createKeyMemory<K>(ask: (key: K) => number): (key: K) => number {
  const keys: K[] = [];
  const numbers: number[] = [];
  let call = 0;
  let count = 0;
  let next = 0;
  return (key) => {
    if (typeof key === 'object') return ask(key);
    if (call !== callInHand()) {
      call = callInHand();
      count = next = 0;
    }
    for (let i = 0; i < count; i++) if (keys[i] === key) return numbers[i] as number;
    const number = ask(key);
    keys[next] = key;
    numbers[next] = number;
    next = (next + 1) % REMEMBERED_MAX;
    if (count < REMEMBERED_MAX) count += 1;
    return number;
  };
}
