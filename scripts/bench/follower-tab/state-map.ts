/** A state in a map: reads of execution, and the batch of each block. */
import { type ReadState, type WriteColumns, writesOf } from '@slipstream/execution';
import { toHex } from '@slipstream/primitives';
import { FollowerError } from './errors.ts';

interface StateMap {
  readonly read: ReadState;
  readonly size: number;
  /** Copies the values. */
  apply(batch: WriteColumns): void;
}

/** The entries' memory is used on. Throws FollowerError `false-snapshot` for a key that occurs twice, or has no value. */
export function createStateMap(entries: Iterable<WriteColumns>): StateMap {
  const values = new Map<string, Uint8Array>();
  for (const columns of entries) {
    for (const { key, value } of writesOf(columns)) {
      const name = toHex(key);
      if (value === undefined || values.has(name)) {
        throw new FollowerError('false-snapshot', `the snapshot has no value, or two, for the key ${name}`);
      }
      values.set(name, value);
    }
  }
  return {
    read: (key) => values.get(toHex(key)),
    get size() {
      return values.size;
    },
    apply(batch) {
      for (const { key, value } of writesOf(batch)) {
        // A view would keep the whole batch in memory.
        if (value === undefined) values.delete(toHex(key));
        else values.set(toHex(key), value.slice());
      }
    },
  };
}
