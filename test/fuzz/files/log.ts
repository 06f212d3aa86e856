/** Write-ahead log and sign state, opened together as in a node. */

import { DATA } from '@slipstream/node-home';
import { readSegmentHeader, SEGMENT_HEADER_BYTES, scanRecords } from '@slipstream/records';
import { createRandom } from '@slipstream/simulator';
import { openSignState, openWal, type WalRecord } from '@slipstream/wal';
import { damageAt, looksTorn } from './damage.ts';
import type { DataFolder, Files } from './folder.ts';
import { memoryDisk } from './memory-disk.ts';
import type { Case, StoreUnderTest } from './stores.ts';
import { digestOf, forbidden, listening, refusal, verdict } from './verdict.ts';

const NO_TIMERS = { after: () => () => {} };
const NAMES_FILE = /(wal\/[0-9]+\.wal|sign-state\.json)/;

async function open({ genesisHash }: Pick<DataFolder, 'genesisHash'>, files: Files) {
  const disk = memoryDisk(files);
  const { telemetry, words } = listening();
  const signState = await openSignState({ disk }, { path: DATA.signState, genesisHash });
  const options = { directory: DATA.wal, genesisHash, knownDurableSequence: signState.logSequence };
  const { wal, records, report } = await openWal(
    { clock: NO_TIMERS, disk, random: createRandom('wal'), telemetry },
    options,
  );
  const read: WalRecord[] = [];
  for await (const record of records) read.push(record);
  await wal.close();
  const before = digestOf(signState);
  const refused = await signState.mayTrust(report);
  return { records: read.map(digestOf), signState: before, mark: signState.mark, refused, words };
}

/** Each record carries the log's durable end as of its writing. */
function provenBy(files: Files, path: string): number {
  const bytes = files.get(path) as Uint8Array;
  const header = readSegmentHeader(bytes, path, 'log');
  if (header === undefined) return 0;
  let proven = header.firstSequence - 1;
  for (const item of scanRecords(bytes, SEGMENT_HEADER_BYTES, header.recordMagic)) {
    if (item.type === 'record') proven = Math.max(proven, item.durableSequence);
  }
  return proven;
}

export async function logUnderTest(folder: DataFolder): Promise<StoreUnderTest> {
  const truth = await open(folder, folder.files);
  const last = [...folder.files.keys()].filter((path) => path.startsWith(`${DATA.wal}/`)).at(-1);

  return {
    async judge({ files, path, damage }: Case) {
      const opened = await open(folder, files).catch((error: unknown) => refusal(error, NAMES_FILE));
      if ('outcome' in opened) return opened;
      const { records, words, refused, mark } = opened;
      if (opened.signState !== truth.signState) return forbidden('the sign state says something else');
      const isPrefix = records.every((record, at) => record === truth.records[at]);
      if (!isPrefix) return forbidden('a record that was never written');
      const lost = truth.records.length - records.length;
      if (lost === 0) return verdict(words.length > 0 ? 'cut' : 'same', words[0]);
      if (path !== last) return forbidden(`${lost} records of a segment that has a successor are lost`);
      const firstKept = truth.records.length - lost;
      // A missing tail takes its proof along: only the sign state detects it, and nothing is signed again.
      if (refused.viewsUpTo >= mark && looksTorn(damage)) return verdict('cut', 'nothing up to the mark is signed');
      const proven = provenBy(files, path) - provenFrom(truth.records);
      if (firstKept < proven) return forbidden(`record ${firstKept} was proven durable (up to ${proven}) and is lost`);
      if (words.length === 0 && damageAt(damage) > 0 && !looksTorn(damage)) {
        return forbidden(`${lost} records are lost without a word`);
      }
      return verdict('cut', words[0] ?? `${lost} records at the end are gone`);
    },
  };
}

/** Sequence before the first retained record. */
function provenFrom(records: readonly string[]): number {
  const [first = '{"sequence":1}'] = records;
  return (JSON.parse(first) as { readonly sequence: number }).sequence - 1;
}
