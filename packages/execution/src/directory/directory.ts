/** The account directory of a state: its entries, its roots, and paths to its root. */
import { concatBytes, uint32le } from '@slipstream/primitives';
import {
  type Directory,
  type DistilledParameters,
  type DistilledRoots,
  leafHash,
  merkleRoot,
  nodeHash,
  pathOfNodes,
} from '@slipstream/types';
import { ExecutionError } from '../errors.ts';
import type { Entries } from '../overlay.ts';
import type { ReadState, StateKey } from '../state-keys.ts';
import type { Write } from '../write-columns.ts';
import { encodeBounds, readBounds } from './bounds.ts';
import { EMPTY_HEAD, encodeHead, readDirectoryHead } from './head.ts';
import { DIRECTORY_KEY, DISTILLED_KEY, entryKey, NODE_LEVELS, nodeKey } from './keys.ts';
import { decodeRegistration, entryBytesIn, REGISTRATION_BYTES } from './registrations.ts';

const NO_BATCHES = merkleRoot([]);

/** Of a genesis with a directory. */
export function directoryEntries(bounds: DistilledParameters): readonly Write[] {
  return [
    { key: DIRECTORY_KEY.bytes, value: encodeHead(EMPTY_HEAD) },
    { key: DISTILLED_KEY.bytes, value: encodeBounds(bounds) },
  ];
}

/** For the digest of a genesis with a directory. */
export const EMPTY_DISTILLED: DistilledRoots = {
  batchesRoot: NO_BATCHES,
  batches: 0,
  directoryRoot: EMPTY_HEAD.root,
  directorySize: 0,
};

/** After a block with these batches. Undefined: the chain has no directory. Throws ExecutionError `state-corrupt`. */
export function readDistilledRoots(
  entries: Pick<Entries, 'get'>,
  batches: Pick<DistilledRoots, 'batchesRoot' | 'batches'>,
): DistilledRoots | undefined {
  if (readBounds(entries) === undefined) return undefined;
  const { root: directoryRoot, frontier } = readDirectoryHead(entries);
  return { ...batches, directoryRoot, directorySize: frontier.size };
}

/** Undefined: the chain has none. Throws ExecutionError `state-corrupt`. */
export function readDirectory(read: ReadState): Directory | undefined {
  const entries = { get: ({ bytes }: StateKey) => read(bytes) };
  if (readBounds(entries) === undefined) return undefined;
  const { size } = readDirectoryHead(entries).frontier;
  return {
    size,
    entry(index) {
      if (index >= size) return undefined;
      const { account, blsKey } = decodeRegistration(present(entries.get(entryKey(index))));
      return { account, blsKey };
    },
  };
}

/** In place of an entry or node. */
const PLACEHOLDER = new Uint8Array(REGISTRATION_BYTES);

/** What `directoryPath` reads. */
export function directoryPathKeys(index: number, size: number): readonly StateKey[] {
  const keys: StateKey[] = [];
  directoryPath(index, size, (key) => {
    keys.push(key);
    return PLACEHOLDER;
  });
  return keys;
}

/** From the entry up to the root of a directory of `size`; `get` may be of any later state. Throws ExecutionError `state-corrupt`. */
export function directoryPath(index: number, size: number, get: Entries['get']): readonly Uint8Array[] {
  function nodeAt(level: number, number: number): Uint8Array {
    if (level === 0) return leafHash(concatBytes(uint32le(number), entryBytesIn(present(get(entryKey(number))))));
    if (level % NODE_LEVELS === 0) return present(get(nodeKey(level, number)));
    return nodeHash(nodeAt(level - 1, 2 * number), nodeAt(level - 1, 2 * number + 1));
  }
  return pathOfNodes(index, size, nodeAt);
}

function present(value: Uint8Array | undefined): Uint8Array {
  if (value !== undefined) return value;
  throw new ExecutionError('state-corrupt', 'an entry or node of the directory is missing', {});
}
