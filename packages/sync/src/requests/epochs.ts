/** Serves records, handovers and ends of epochs (sync.md, "Epochs"). */
import type { LedgerReader } from '@slipstream/ledger';
import {
  EPOCH_ENTRIES_MAX,
  type EpochEntry,
  epochEndCodec,
  epochEntriesCodec,
  epoch as epochOf,
  epochRecordCodec,
  handoverCodec,
} from '@slipstream/types';
import type { Archive, ServedEpochs } from './archive.ts';

/** Of an answer that has not all that was asked for, and one entry more: the largest has 0.8 MB. */
export const EPOCHS_ANSWER_BYTES: number = 1024 * 1024;

type EpochLedger = Pick<LedgerReader, 'record' | 'handover' | 'epochEnd'>;

export function createEpochArchive(ledger: EpochLedger): NonNullable<Archive['epochs']> {
  async function entryOf(at: number): Promise<EpochEntry | undefined> {
    const epoch = epochOf(at);
    const record = await ledger.record(epoch);
    if (record?.epoch !== epoch) return undefined; // asked for beyond 32 bits
    const [handover, end] = await Promise.all([ledger.handover(epoch), ledger.epochEnd(epoch)]);
    return { record, handover, end };
  }

  return async (from, to): Promise<ServedEpochs> => {
    const entries: EpochEntry[] = [];
    let next = from <= to ? await entryOf(from) : undefined;
    for (let bytes = 0; next !== undefined && bytes < EPOCHS_ANSWER_BYTES && entries.length < EPOCH_ENTRIES_MAX; ) {
      entries.push(next);
      bytes += bytesOf(next);
      const at = from + entries.length;
      next = at <= to ? await entryOf(at) : undefined;
    }
    return { bytes: entries.length === 0 ? undefined : epochEntriesCodec.encode(entries), more: next !== undefined };
  };
}

function bytesOf({ record, handover, end }: EpochEntry): number {
  const handoverBytes = handover ? handoverCodec.encode(handover).length : 0;
  return epochRecordCodec.encode(record).length + handoverBytes + (end ? epochEndCodec.encode(end).length : 0);
}
