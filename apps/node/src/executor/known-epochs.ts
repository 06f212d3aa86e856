/** Epochs that state and ledger know at opening. */
import { readRecords } from '@slipstream/execution';
import { assert } from '@slipstream/primitives';
import { type EpochRecord, epoch as epochOf } from '@slipstream/types';
import { epochAfter, type KnownEpochs } from './record-table.ts';
import type { ExecutorStores } from './stores.ts';

/** The state may lag behind the ledger, which has the record of each epoch that began in it. Call after both are reconciled. */
export async function knownEpochs({ state, ledger }: Pick<ExecutorStores, 'state' | 'ledger'>): Promise<KnownEpochs> {
  const records = [...readRecords({ get: ({ bytes }) => state.get(bytes) })];
  const tip = await ledger.block('latest');
  assert(tip !== undefined, 'a reconciled ledger has a block');
  const epoch = epochAfter(tip.block);
  for (let at = epochOf((records.at(-1) as EpochRecord).epoch + 1); at <= epoch; at = epochOf(at + 1)) {
    const record = await ledger.record(at);
    assert(record !== undefined, 'the ledger has the record of each epoch that began in it (P11)');
    records.push(record);
  }
  return { records, epoch };
}
