import type { LedgerReader } from '@slipstream/ledger';
import { epoch as asEpoch } from '@slipstream/types';
import type { NodeEpochs } from './node-epochs.ts';

/** The state has the newest only; the ledger has all, after a state sync too. */
export async function readEarlierEpochs(epochs: NodeEpochs, ledger: Pick<LedgerReader, 'record'>): Promise<void> {
  for (let epoch = epochs.now() - 1; epoch >= epochs.oldest; epoch--) {
    const record = epochs.of(asEpoch(epoch)) ?? (await ledger.record(asEpoch(epoch)));
    if (record === undefined) return; // what is judged by it fails
    epochs.addEarlier(record);
  }
}
