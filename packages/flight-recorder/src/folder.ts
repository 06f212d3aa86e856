import type { Disk } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import { END_MARK, RECORDING_SUFFIX } from './recording.ts';

/** The newest recording, relative to the disk's root; undefined when its process stopped in order, or there is none. */
export async function unfinishedRecording(disk: Disk, directory: string): Promise<string | undefined> {
  const newest = (await disk.list(directory))
    .filter((name) => name.endsWith(RECORDING_SUFFIX))
    .sort()
    .at(-1);
  if (newest === undefined) return undefined;
  const path = `${directory}/${newest}`;
  const size = (await disk.size(path)) ?? 0;
  if (size < END_MARK.length) return path;
  const file = await disk.open(path);
  try {
    const last = await file.read(size - END_MARK.length, END_MARK.length);
    return bytesEqual(last, END_MARK) ? undefined : path;
  } finally {
    await file.close();
  }
}
