import type { BlockReference, Lookup } from '@slipstream/api';
import type { LedgerBlock, LedgerReader } from '@slipstream/ledger';

type Missing = Exclude<Lookup<never>, { readonly type: 'found' }>;

interface BlockFinder {
  find(reference: BlockReference): Promise<Lookup<LedgerBlock>>;
  /** Why there is none. */
  missing(reference: BlockReference): Promise<Missing>;
}

export function createBlockFinder(ledger: Pick<LedgerReader, 'block' | 'tip'>): BlockFinder {
  async function ledgerBlock(reference: BlockReference): Promise<LedgerBlock | undefined> {
    if (reference.type === 'latest') return ledger.block('latest');
    return ledger.block(reference.type === 'height' ? { height: reference.height } : { id: reference.id });
  }

  /** A block below the earliest retained height was pruned, or never here since the node joined above it. Genesis is always there. */
  async function missing(reference: BlockReference): Promise<Missing> {
    const tip = await ledger.tip();
    if (reference.type !== 'height' || tip === undefined || reference.height >= tip.earliestHeight) {
      return { type: 'unknown' };
    }
    const detail = `Height ${reference.height} is pruned here: the chain of this node begins at height ${tip.earliestHeight}.`;
    return { type: 'pruned', detail };
  }

  return {
    missing,
    async find(reference) {
      const value = await ledgerBlock(reference);
      return value ? { type: 'found', value } : missing(reference);
    },
  };
}
