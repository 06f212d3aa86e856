/** Records of epochs with their members' names: from the state, and from the ledger once the state has dropped the members. */
import { type FetchedEntries, readRecordsTogether, readValidator, validatorKey } from '@slipstream/execution';
import type { LedgerReader } from '@slipstream/ledger';
import { type EpochRecord, epoch as epochOf, type GenesisHash, type RecordHash, recordHashOf } from '@slipstream/types';
import { readTogether } from '../executor/fetched-entries.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';

export interface NamedRecord {
  readonly record: EpochRecord;
  readonly hash: RecordHash;
  /** Of the members, in their order. */
  readonly names: readonly string[];
}

interface RecordReads {
  /** In the order of the epochs, whose members the state has. */
  inState(entries: FetchedEntries, epochs: readonly number[]): readonly NamedRecord[];
  inLedger(epoch: number): Promise<NamedRecord | undefined>;
}

interface RecordReadComponents {
  readonly read: ReadStateValues;
  readonly ledger: Pick<LedgerReader, 'record'>;
}

/** The newest ones: records and names never change. A record of the largest committee takes 1 MB. */
const REMEMBERED_MAX = 16;

export function createRecordReads({ read, ledger }: RecordReadComponents, genesisHash: GenesisHash): RecordReads {
  const remembered = new Map<number, NamedRecord>();

  function remember(entries: FetchedEntries, record: EpochRecord): NamedRecord {
    const names = record.members.map(({ validatorId }) => readValidator(entries, validatorId)?.name ?? '');
    const found = { record, hash: recordHashOf(genesisHash, record), names };
    remembered.set(record.epoch, found);
    if (remembered.size > REMEMBERED_MAX) remembered.delete(Math.min(...remembered.keys()));
    return found;
  }

  function named(entries: FetchedEntries, records: readonly EpochRecord[]): readonly NamedRecord[] {
    entries.want(records.flatMap(({ members }) => members.map(({ validatorId }) => validatorKey(validatorId))));
    return records.map((record) => remember(entries, record));
  }

  return {
    inState(entries, epochs) {
      const found = new Map(epochs.map((epoch) => [epoch, remembered.get(epoch)]));
      const unknown = epochs.filter((epoch) => found.get(epoch) === undefined);
      for (const each of named(entries, readRecordsTogether(entries, unknown))) found.set(each.record.epoch, each);
      return epochs.map((epoch) => found.get(epoch) as NamedRecord);
    },
    async inLedger(epoch) {
      const before = remembered.get(epoch);
      const record = before === undefined ? await ledger.record(epochOf(epoch)) : undefined;
      if (record === undefined) return before;
      const { value } = await readTogether(read, (entries) => named(entries, [record]));
      return value[0];
    },
  };
}
