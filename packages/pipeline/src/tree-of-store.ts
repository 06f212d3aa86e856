import type { StateStore } from '@slipstream/state';
import { openStateTree, type StateTree } from '@slipstream/state-tree';

interface TreeComponents {
  /** 32 random bytes, which stay in this process. They affect no result. */
  readonly secret: Uint8Array;
  /** Lets other work of the thread run. */
  readonly pause: () => Promise<void>;
  /** Keys between two pauses. */
  readonly sliceKeys?: number;
}

/** The tree over a store's committed state, rebuilt from its index. No batch may be committed meanwhile. */
export function treeOfStore(state: StateStore, { sliceKeys, ...components }: TreeComponents): Promise<StateTree> {
  const options = { block: state.tip.block, entries: state.packedEntries() };
  return openStateTree(components, sliceKeys === undefined ? options : { ...options, sliceKeys });
}
