import type { Disk } from '@slipstream/ports';
import { crc32c } from '@slipstream/records';

/** Bytes per read: a millisecond of the processor. */
const PIECE_BYTES = 1024 * 1024;

interface FileRange {
  readonly from: number;
  readonly to: number;
  /** CRC-32C of the bytes before. */
  readonly before: number;
}

/** The checksum up to `to` or the file's end. `pause` runs between pieces. */
export async function fileCrc(
  disk: Disk,
  path: string,
  { from, to, before }: FileRange,
  pause?: () => Promise<void>,
): Promise<number> {
  const file = await disk.open(path);
  try {
    let crc = before;
    for (let at = from; at < to; at += PIECE_BYTES) {
      const bytes = await file.read(at, Math.min(PIECE_BYTES, to - at));
      crc = crc32c(bytes, 0, bytes.length, crc);
      await pause?.();
    }
    return crc;
  } finally {
    await file.close();
  }
}
