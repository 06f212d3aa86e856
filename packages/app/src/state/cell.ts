/** One value. */
import type { Form } from '../forms/form.ts';
import type { StateEntry } from './entry.ts';
import { type Key, type KeyCodec, keyCodecOfParts } from './keys.ts';
import { createTable, type EmptyOption } from './table.ts';
import { type VersionOptions, valueCodec } from './values.ts';

export interface Cell<T, R = T | undefined> {
  get(): R;
  set(value: T): void;
  delete(): void;
  /** Declares it, in `keys` of an action. */
  key(): Key;
  readonly entry: StateEntry;
}

/** Stands for the key without parts: a plain value, so that its number is remembered. */
const ONLY = 0;

export function cell<T, O>(
  value: Form<T>,
  options: EmptyOption<NoInfer<T>> & VersionOptions<NoInfer<T>, O>,
): Cell<T, T>;
export function cell<T, O>(value: Form<T>, options?: VersionOptions<NoInfer<T>, O>): Cell<T>;
export function cell<T, O>(value: Form<T>, options: Partial<EmptyOption<T>> & VersionOptions<T, O> = {}): Cell<T> {
  const key: KeyCodec<number> = {
    ...(keyCodecOfParts([], false) as KeyCodec<number>),
    sizeOf: () => 0,
    write: (_, at) => at,
    encode: (_, spare) => new Uint8Array(spare),
  };
  const table = createTable('cell', key, valueCodec(value, options), options.empty);
  return {
    get: () => table.get(ONLY),
    set: (next) => table.set(ONLY, next),
    delete: () => table.delete(ONLY),
    key: () => table.key(ONLY),
    entry: table.entry,
  };
}
