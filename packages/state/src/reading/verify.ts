/** Checks every file against its checksums and the store's memory. */
import { bytesEqual } from '@slipstream/primitives';
import { RecordsError } from '@slipstream/records';
import type { Committed } from '../committed/committed.ts';
import { StateError } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';
import { corrupt } from '../log/format.ts';
import type { LogFiles } from '../log/log-files.ts';
import { scanLog } from '../log/log-scan.ts';
import { lastBatchOf } from '../log/log-table.ts';
import type { Chain } from '../parameters.ts';
import type { VerifyReport } from '../store.ts';

type Fault = VerifyReport['faults'][number];

/** `runStep` excludes other uses of the disk. Commits may run between two steps. */
export async function verifyFiles(
  { genesisHash, parameters: { history } }: Chain,
  durable: () => Pick<Committed, 'tip' | 'logs'>,
  files: LogFiles,
  journal: Journal,
  runStep: <T>(step: () => Promise<T>) => Promise<T>,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<VerifyReport> {
  const faults: Fault[] = [];
  let count = 0;
  let bytes = 0;

  async function check(step: () => Promise<number>): Promise<void> {
    try {
      bytes += await runStep(step);
    } catch (error) {
      const isFault = error instanceof StateError && (error.code === 'corrupt' || error.code === 'foreign');
      if (!isFault && !(error instanceof RecordsError)) throw error;
      const { file, offset, what } = error.data as { file: string; offset?: number; what?: string };
      faults.push({ file, offset: offset ?? 0, what: what ?? error.message });
    }
  }

  async function checkLog(slot: number): Promise<number> {
    const { logs, tip } = durable();
    const file = logs.file[slot] as number;
    if (file < 0) return 0;
    count += 1;
    const handle = await files.get(file);
    const identity = { genesisHash, history, file };
    const { end, checksum } = await scanLog(handle, identity, lastBatchOf(slot, tip.batch, history), () => {});
    const same = bytesEqual(checksum, logs.tip[slot] as Uint8Array) && end === logs.bytes[slot];
    if (!same) throw corrupt(handle.path, end, 'the last checksum is not the one that was committed');
    return end;
  }

  for (let slot = 0; slot <= history; slot++) {
    await check(() => checkLog(slot));
    onProgress(slot + 1, history + 1);
  }
  await check(() => journal.verify());
  return { files: count + 1, bytes, faults };
}
