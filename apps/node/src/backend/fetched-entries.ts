/**
 * Reads entries of the state whose keys follow from other entries, all of one height.
 *
 *   view(known entries) --a key is unknown--> read all keys so far again, with it --> view --> ... --> the view's value
 *
 * The executor's thread holds the state, so a view is begun again after each fetch. It wants the keys of a list together.
 */
import type { FetchedEntries, StateKey } from '@slipstream/execution';
import type { ReadStateValues } from '../executor/state-reader.ts';

/** Lists within lists are few; more means a view that wants keys one by one. */
const FETCHES_MAX = 16;

class UnknownKeys extends Error {}

/** `view` reads and returns; it must have no other effect. */
export async function readTogether<T>(
  read: ReadStateValues,
  view: (entries: FetchedEntries) => T,
): Promise<{ readonly height: number; readonly value: T }> {
  const wanted = new Map<string, StateKey>();
  let known = new Map<string, Uint8Array | undefined>();
  let height = 0;
  const want = (keys: readonly StateKey[]) => {
    const unknown = keys.filter(({ text }) => !known.has(text));
    if (unknown.length === 0) return;
    for (const key of unknown) wanted.set(key.text, key);
    throw new UnknownKeys();
  };
  const entries: FetchedEntries = {
    want,
    get(key) {
      want([key]);
      return known.get(key.text);
    },
  };
  for (let fetches = 0; fetches < FETCHES_MAX; fetches++) {
    try {
      return { height, value: view(entries) };
    } catch (error) {
      if (!(error instanceof UnknownKeys)) throw error;
    }
    const keys = [...wanted.values()];
    const fetched = await read(keys.map(({ bytes }) => bytes));
    height = fetched.height;
    known = new Map(keys.map(({ text }, i) => [text, fetched.values[i]]));
  }
  throw new Error(`the state changed during ${FETCHES_MAX} reads`);
}
