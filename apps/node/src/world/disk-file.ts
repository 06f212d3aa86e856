import type { FileHandle } from 'node:fs/promises';
import { DiskError, type DiskFile } from '@slipstream/ports';
import { concatBytes } from '@slipstream/primitives';
import { call } from './disk-errors.ts';

/** Below this, many parts are joined and written in one call: cheaper than a list of buffers. */
const JOIN_BYTES_MAX = 256 * 1024;
/** What the systems we know take in one vectored write. */
const PARTS_MAX = 1_024;

export function createDiskFile(handle: FileHandle, path: string): DiskFile {
  let closing: Promise<void> | undefined;

  function guarded<T>(operation: string, action: () => Promise<T>): Promise<T> {
    return call(operation, path, async () => {
      if (closing !== undefined) throw new DiskError('closed', `${path} is closed`, { path });
      return action();
    });
  }

  async function read(position: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled === length ? bytes : bytes.slice(0, filled);
  }

  async function write(position: number, parts: readonly Uint8Array[]): Promise<void> {
    const filled = parts.filter(({ length }) => length > 0);
    let total = 0;
    for (const part of filled) total += part.length;
    const buffers = filled.length > 1 && total <= JOIN_BYTES_MAX ? [concatBytes(...filled)] : filled;
    let at = position;
    for (let from = 0; from < buffers.length; from += PARTS_MAX) {
      at = await writeAll(handle, at, buffers.slice(from, from + PARTS_MAX));
    }
  }

  return {
    path,
    size: () => guarded('size', async () => (await handle.stat()).size),
    read: (position, length) => guarded('read', () => read(position, length)),
    write: (position, parts) => guarded('write', () => write(position, parts)),
    truncate: (bytes) => guarded('truncate', () => handle.truncate(bytes)),
    sync: () => guarded('sync', () => handle.datasync()),
    close() {
      closing ??= call('close', path, () => handle.close());
      return closing;
    },
  };
}

/** Writes all of the buffers, however many calls it takes; returns the position behind them. */
async function writeAll(handle: FileHandle, position: number, buffers: readonly Uint8Array[]): Promise<number> {
  let at = position;
  let rest = [...buffers];
  while (rest.length > 0) {
    let { bytesWritten } =
      rest.length === 1 ? await handle.write(rest[0] as Uint8Array, 0, undefined, at) : await handle.writev(rest, at);
    at += bytesWritten;
    while (rest[0] !== undefined && bytesWritten >= rest[0].length) {
      bytesWritten -= rest[0].length;
      rest.shift();
    }
    if (rest[0] !== undefined) rest = [rest[0].subarray(bytesWritten), ...rest.slice(1)];
  }
  return at;
}
