/**
 * The account directory on the main thread, by which batches are judged (distilled.md Z3).
 *
 *   committed state, in pages --load--> columns <--each commit: its registrations-- executor
 *
 * Loaded before the executor starts, so no commit comes between.
 */
import { createDirectoryColumns, type DirectoryColumns } from '@slipstream/distilled';
import { DIRECTORY_KEY, DISTILLED_KEY, decodeRegistration, entryKey, readDirectory } from '@slipstream/execution';
import { assert, toHex } from '@slipstream/primitives';
import type { Executor } from '../executor/executor.ts';

export interface AccountDirectory {
  readonly columns: DirectoryColumns;
  /** Once, before the executor starts. Rejects with the errors of reading the state. */
  load(): Promise<void>;
}

/** 128 kB of values. */
const PAGE_ENTRIES = 1_024;

/** `grew`: after each commit. */
export function openAccountDirectory(
  { read, onCommitted }: Pick<Executor, 'read' | 'onCommitted'>,
  grew: () => void,
): AccountDirectory {
  const columns = createDirectoryColumns();
  onCommitted(({ block, registered }) => {
    columns.commit(block.height, registered);
    grew();
  });

  /** Decoded one by one: a million are 140 MB as bytes. */
  function* decoded(values: readonly (Uint8Array | undefined)[]) {
    for (const value of values) {
      assert(value !== undefined, 'the state has each entry below the size of its directory');
      yield decodeRegistration(value);
    }
  }

  return {
    columns,
    async load() {
      const heads = [DISTILLED_KEY, DIRECTORY_KEY].map(({ bytes }) => bytes);
      const { height, values } = await read(heads);
      const byKey = new Map(heads.map((key, i) => [toHex(key), values[i]]));
      const size = readDirectory((key) => byKey.get(toHex(key)))?.size ?? 0;
      const entries: (Uint8Array | undefined)[] = [];
      while (entries.length < size) {
        const length = Math.min(PAGE_ENTRIES, size - entries.length);
        const keys = Array.from({ length }, (_, i) => entryKey(entries.length + i).bytes);
        entries.push(...(await read(keys)).values);
      }
      columns.load(height, decoded(entries));
    },
  };
}
