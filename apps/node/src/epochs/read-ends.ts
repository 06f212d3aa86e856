import type { LedgerReader } from '@slipstream/ledger';
import { epoch as asEpoch } from '@slipstream/types';
import type { NodeEpochs } from './node-epochs.ts';

/** Of the epochs before the current one whose records are known. */
export async function readEnds(epochs: NodeEpochs, ledger: Pick<LedgerReader, 'epochEnd'>): Promise<void> {
  for (let epoch = epochs.now() - 1; epoch >= 0 && epochs.of(asEpoch(epoch)); epoch--) {
    const end = await ledger.epochEnd(asEpoch(epoch));
    if (end) epochs.ended(end.block);
  }
}
