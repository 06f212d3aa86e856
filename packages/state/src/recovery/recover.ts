/**
 * Recovery of the last committed batch.
 *
 *   journal's last entry = the tip
 *     log files begun later               removed: never committed
 *     older files of a replaced log       removed: a committed compaction replaced them
 *     bytes after a log's last committed segment   cut off: never committed, or zeros (preallocation.ts)
 *     any other disagreement              an error with file and offset; nothing is cut off
 *
 * INVARIANT V2: a commit is reported after its journal entry is durable, and the entry is written after its segment is durable. So every
 * committed segment is whole on disk, and nothing else passes for one.
 */
import type { DiskFile } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import type { Committed } from '../committed/committed.ts';
import { StateError } from '../errors.ts';
import type { OpenedJournal } from '../journal/journal.ts';
import { AT_PARENT, CHECKSUM_WORDS, corrupt, fileOfLogName, logName, SEGMENT_HEADER_WORDS } from '../log/format.ts';
import type { LogFiles } from '../log/log-files.ts';
import { type ScanEnd, scanLog } from '../log/log-scan.ts';
import { lastBatchOf } from '../log/log-table.ts';
import type { Chain } from '../parameters.ts';
import type { Cut } from '../store.ts';
import type { GrowingList } from '../typed-arrays/growing-list.ts';
import { bytesAt, WORD_BYTES } from '../typed-arrays/word-arrays.ts';
import { createLoader, type Loader } from './load.ts';

interface FoundLog {
  readonly slot: number;
  readonly file: number;
  readonly last: number;
}

interface LinkedLog extends ScanEnd {
  readonly path: string;
  /** Where the last segment begins, and its checksum of the previous batch. */
  readonly lastOffset: number;
  readonly parent: Uint8Array;
}

/** Fills an empty `committed`, and returns what was cut off. Throws StateError `corrupt`, `missing` or `foreign`. */
export async function recover(
  chain: Chain,
  committed: Committed,
  files: LogFiles,
  names: readonly string[],
  { entry, path }: OpenedJournal,
): Promise<readonly Cut[]> {
  const { history } = chain.parameters;
  const cut: Cut[] = [];
  const present = names.flatMap((name) => fileOfLogName(name) ?? []);
  const logs = findLogs(present, entry.batch, history);
  const used = new Set(logs.map(({ file }) => file));
  const loader = createLoader(committed);
  const links = new Map<number, LinkedLog>();
  const tails: Tail[] = [];
  for (const log of logs) links.set(log.last, await loadLog(chain, committed, files, log, loader, tails));
  loader.finish();
  checkLinks(links, entry.batch);
  const tip = links.get(entry.batch) as LinkedLog;
  const agrees = tip.end === entry.end && bytesEqual(tip.checksum, entry.checksum) && used.has(entry.file);
  if (!agrees) throw corrupt(path, 0, `its last commit disagrees with ${tip.path}`);
  for (const tail of tails) cut.push(await cutOff(tail));
  await removeOthers(files, present, used, entry.batch, cut);
  committed.tip = { batch: entry.batch, checksum: entry.checksum, block: entry.block };
  return cut;
}

/** Removes unused files durably: one that reappeared after another crash could pass for a file of its log. */
async function removeOthers(
  files: LogFiles,
  present: readonly number[],
  used: ReadonlySet<number>,
  tip: number,
  cut: Cut[],
): Promise<void> {
  for (const file of present) {
    if (used.has(file)) continue;
    const bytes = await (await files.get(file)).size();
    const reason = file > tip ? 'uncommitted' : 'replaced';
    cut.push({ file: files.pathOf(file), offset: 0, bytes, reason });
    await files.remove(file);
  }
  if (used.size < present.length) await files.syncNames();
}

/** The file of each log that holds its last committed batch. */
function findLogs(present: readonly number[], tip: number, history: number): readonly FoundLog[] {
  const logs: FoundLog[] = [];
  for (let slot = 0; slot <= history; slot++) {
    const last = lastBatchOf(slot, tip, history);
    if (last < 0) continue;
    const file = Math.max(...present.filter((each) => each <= last && each % (history + 1) === slot));
    if (file < 0) {
      throw new StateError('missing', `no file holds batch ${last}: restore ${logName(last)} or the file before it`, {
        file: logName(last),
      });
    }
    logs.push({ slot, file, last });
  }
  return logs;
}

async function loadLog(
  { genesisHash, parameters: { history } }: Chain,
  { logs, lists }: Committed,
  files: LogFiles,
  { slot, file, last }: FoundLog,
  loader: Loader,
  tails: Tail[],
): Promise<LinkedLog> {
  const handle = await files.get(file);
  let lastOffset = 0;
  let parent: Uint8Array = new Uint8Array();
  const scanned = await scanLog(handle, { genesisHash, history, file }, last, (segment) => {
    lastOffset = segment.offset;
    parent = bytesAt(segment.words, segment.from - SEGMENT_HEADER_WORDS + AT_PARENT, CHECKSUM_WORDS * 4);
    loader.add(slot, segment, segment.batch === last);
  });
  logs.file[slot] = file;
  logs.bytes[slot] = scanned.end;
  logs.puts[slot] = (lists[slot] as GrowingList).length;
  logs.tip[slot] = scanned.checksum;
  const bytes = (await handle.size()) - scanned.end;
  if (bytes > 0) tails.push({ handle, offset: scanned.end, bytes });
  return { ...scanned, path: handle.path, lastOffset, parent };
}

/** Bytes behind a log's last committed segment. */
interface Tail {
  readonly handle: DiskFile;
  readonly offset: number;
  readonly bytes: number;
}

async function cutOff({ handle, offset, bytes }: Tail): Promise<Cut> {
  const next = await handle.read(offset, SEGMENT_HEADER_WORDS * WORD_BYTES);
  const reason = next.every((byte) => byte === 0) ? 'preallocated' : 'uncommitted';
  await handle.truncate(offset);
  await handle.sync();
  return { file: handle.path, offset, bytes, reason };
}

/** The last history + 1 batches carry the previous batch's checksum, so a file of another store does not fit. */
function checkLinks(links: ReadonlyMap<number, LinkedLog>, tip: number): void {
  for (let batch = tip; links.has(batch - 1); batch--) {
    const link = links.get(batch) as LinkedLog;
    const before = links.get(batch - 1) as LinkedLog;
    if (!bytesEqual(link.parent, before.checksum)) {
      throw corrupt(
        before.path,
        before.lastOffset,
        `batch ${batch - 1} is not the one that batch ${batch} goes on from`,
      );
    }
  }
}
