/** All committed entries as packed batches, log by log: their cells lie in memory in about that order. */
import type { PackedBatch } from '../batch.ts';
import { type Committed, isLive, loadPut } from '../committed/committed.ts';
import { StateError } from '../errors.ts';
import type { StoredPut } from '../log/segment-writer.ts';
import { copyOfWords } from '../typed-arrays/word-arrays.ts';

const ENTRIES_MAX = 2_048;
/** A batch ends above it; the last value may be of the maximum. */
const BATCH_BYTES = 262_144;
const ENTRY_BYTES_MAX = 64 + 65_536;

/** The newest batch must be folded. A batch is valid until the next one. Throws StateError `stale-view` once another batch is committed. */
export function* packedEntries(committed: Committed, isCurrent: () => boolean): Generator<PackedBatch> {
  const { lists } = committed;
  const put: StoredPut = {
    words: new Int32Array(0),
    at: 0,
    keyBytes: 0,
    valueBytes: 0,
    valueWords: new Int32Array(0),
    valueAt: 0,
  };
  const bytes = new Uint8Array(BATCH_BYTES + ENTRY_BYTES_MAX);
  const [keyBytes, valueBytes] = [new Uint8Array(ENTRIES_MAX), new Int32Array(ENTRIES_MAX)];
  let [count, at] = [0, 0];
  const packed = () => {
    const batch = {
      bytes: bytes.subarray(0, at),
      keyBytes: keyBytes.subarray(0, count),
      valueBytes: valueBytes.subarray(0, count),
    };
    [count, at] = [0, 0];
    return batch;
  };
  for (const [slot, { values, length }] of lists.entries()) {
    for (let ordinal = 0; ordinal < length; ordinal++) {
      const address = values[ordinal] as number;
      if (!isLive(committed, slot, ordinal, address)) continue;
      loadPut(committed, address, put);
      copyOfWords(put.words, put.at, put.keyBytes, bytes.subarray(at));
      at += put.keyBytes;
      copyOfWords(put.valueWords, put.valueAt, put.valueBytes, bytes.subarray(at));
      at += put.valueBytes;
      keyBytes[count] = put.keyBytes;
      valueBytes[count++] = put.valueBytes;
      if (count < ENTRIES_MAX && at < BATCH_BYTES) continue;
      yield packed();
      if (!isCurrent())
        throw new StateError('stale-view', 'a batch was committed while the entries were read; begin again');
    }
  }
  if (count > 0) yield packed();
}
