/** Keys of a sorted table in order, from its nodes alone: no code of the application runs. */
import { byteTextFrom } from '../forms/byte-text.ts';
import { decode } from '../forms/form.ts';
import { keyFormOf } from '../forms/form-of.ts';
import type { TableManifest } from '../manifest.ts';
import { scanKeys } from '../sorted/scan.ts';
import { EMPTY_ROOT, treeNodeForm } from '../sorted/tree-node.ts';
import { keyCodecOfParts } from '../state/keys.ts';
import { entryKey, nodeKey } from '../state/sorted.ts';

interface SortedPage {
  /** All keys are behind it, in the direction of the page; as `host.key` has it. */
  readonly after?: Uint8Array | undefined;
  /** Keys at most. */
  readonly limit: number;
  /** Begins with the greatest. */
  readonly reverse: boolean;
}

/** Before an entry's own key. */
const KIND_BYTES = 1;

/**
 * @param read the value of a node, by its bytes for `host.key`; `later`: it counts as empty, so that one pass names several nodes
 * @returns bytes for `host.key`. Throws what `read` throws, `bad-bytes`, and Error for a node that is missing.
 */
export function sortedKeys(
  { key, keyIsSingle }: Pick<TableManifest, 'key' | 'keyIsSingle'>,
  read: (key: Uint8Array) => Uint8Array | undefined | 'later',
  { after, limit, reverse }: SortedPage,
): readonly Uint8Array[] {
  const { fixedBytes, bytesMax } = keyCodecOfParts(key.map(keyFormOf), keyIsSingle);
  const form = treeNodeForm(fixedBytes, bytesMax);
  const nodes = {
    read(node: number) {
      const found = read(nodeKey(node));
      if (found === 'later') return EMPTY_ROOT;
      return found === undefined ? undefined : decode(form, found);
    },
  };
  const bound = after && byteTextFrom(after, KIND_BYTES, after.length);
  const scan = reverse ? { to: bound } : { from: bound && `${bound}\0` };
  return scanKeys(nodes, { ...scan, limit, reverse }).map(entryKey);
}
