import type { LedgerReader } from '@slipstream/ledger';
import { assert } from '@slipstream/primitives';
import type { EpochRecord } from '@slipstream/types';

/** Of the next block above the ledger's newest. Remembers one record, which never changes. */
export function createCurrentRecord(ledger: Pick<LedgerReader, 'latestEpoch' | 'record'>): () => Promise<EpochRecord> {
  let known: EpochRecord | undefined;
  return async () => {
    const epoch = await ledger.latestEpoch();
    if (known === undefined || known.epoch !== epoch) known = epoch === undefined ? known : await ledger.record(epoch);
    assert(known !== undefined, 'a ledger has the record of each epoch that began in it');
    return known;
  };
}
