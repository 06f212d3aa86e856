/** Records of the recent epochs, the current one and the sealed next one, for the main thread. */
import { assert } from '@slipstream/primitives';
import { type Block, type Epoch, type EpochRecord, epoch as epochOf } from '@slipstream/types';

export interface KnownEpochs {
  /** Ascending, without gaps, from the oldest one that the state holds whole to the newest, which may be sealed only. */
  readonly records: readonly EpochRecord[];
  /** Of the next block above the ledger's tip. */
  readonly epoch: Epoch;
}

export interface RecordTable {
  opened(found: KnownEpochs): void;
  sealed(record: EpochRecord): void;
  /** In order of height. */
  committed(block: Block): void;
  /** Ascending, without gaps. */
  all(): readonly EpochRecord[];
  /** Of the next block above the newest committed one. */
  current(): EpochRecord;
}

/** Epochs have at least 64 blocks, so fewer end within the 60 s that their records are needed. */
const RECORDS_MAX = 128;

/** The epoch of the block's children that are no fillers. */
export function epochAfter({ epoch, next }: Pick<Block, 'epoch' | 'next'>): Epoch {
  return next === undefined ? epoch : epochOf(epoch + 1);
}

export function createRecordTable(): RecordTable {
  let records: readonly EpochRecord[] = [];
  let current: EpochRecord | undefined;

  function enter(epoch: Epoch): void {
    current = records.find((record) => record.epoch === epoch);
    assert(current !== undefined, 'the record of an epoch is known before its first block');
  }

  function sealed(record: EpochRecord): void {
    const newest = records.at(-1);
    if (newest === undefined || record.epoch > newest.epoch) records = [...records, record].slice(-RECORDS_MAX);
  }

  return {
    opened(found) {
      records = found.records;
      enter(found.epoch);
    },
    sealed,
    committed(block) {
      const epoch = epochAfter(block);
      // Blocks that the state lacked at opening are below the ledger's tip.
      if (current !== undefined && epoch > current.epoch) enter(epoch);
    },
    all: () => records,
    current() {
      assert(current !== undefined, 'the executor is open');
      return current;
    },
  };
}
