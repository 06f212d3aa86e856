/**
 * Entries of the account directory with proofs.
 *
 * The proof is of the directory at the height of the first read. The second read may be of a later state, where all entries and nodes of
 * that directory are as they were.
 */
import type { NodeBackend } from '@slipstream/api';
import {
  accountStateKey,
  DIRECTORY_KEY,
  decodeAccount,
  decodeRegistration,
  directoryPath,
  directoryPathKeys,
  entryKey,
} from '@slipstream/execution';
import { assert } from '@slipstream/primitives';
import type { AccountKey } from '@slipstream/types';
import type { ReadStateValues } from '../executor/state-reader.ts';
import type { BlockReadComponents } from './block-reads.ts';

interface DirectoryReadComponents extends Pick<BlockReadComponents, 'ledger'> {
  readonly read: ReadStateValues;
}

export async function directoryEntry(
  { ledger, read }: DirectoryReadComponents,
  of: number | AccountKey,
): ReturnType<NodeBackend['directoryEntry']> {
  const first = typeof of === 'number' ? DIRECTORY_KEY : accountStateKey(of);
  const { height, values } = await read([first.bytes]);
  const index = typeof of === 'number' ? of : decodeAccount(values[0]).registration?.index;
  if (index === undefined) return { type: 'unknown' };
  const state = await ledger.certifiedState(height);
  if (state === undefined) return { type: 'not-ready' };
  const size = state.preimages[0]?.distilled?.directorySize ?? 0;
  if (index >= size) return { type: 'unknown' };
  const keys = [entryKey(index), ...directoryPathKeys(index, size)];
  const found = (await read(keys.map(({ bytes }) => bytes))).values;
  const byText = new Map(keys.map(({ text }, i) => [text, found[i]]));
  const path = directoryPath(index, size, ({ text }) => byText.get(text));
  const [entry] = found;
  assert(entry !== undefined, 'a later state has the entries of an earlier one');
  const { account, blsKey } = decodeRegistration(entry);
  return { type: 'found', value: { index, entry: { account, blsKey }, path, ...state } };
}
