import type { FileHandle } from 'node:fs/promises';
import { DiskError, type DiskFile } from '@slipstream/ports';
import { concatBytes } from '@slipstream/primitives';
import { call } from './disk-errors.ts';

/** Smaller writes are joined: one buffer is cheaper than a list. */
const JOIN_BYTES_MAX = 256 * 1024;
/** Limit of one vectored write on the supported systems. */
const PARTS_MAX = 1_024;

/**
 * `openSynced` opens the file again with O_DSYNC: one system call writes and syncs. That covers no earlier writes, so writeAndSync uses it
 * only when no other write waits for a sync.
 */
export function createDiskFile(handle: FileHandle, path: string, openSynced: () => Promise<FileHandle>): DiskFile {
  let closing: Promise<void> | undefined;
  let synced: Promise<FileHandle> | undefined;
  /** Started changes, and how many of them a sync covers. Starts at 1: an earlier process may have left unsynced ones. */
  let changes = 1;
  let durable = 0;

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

  function change<T>(action: () => Promise<T>): Promise<T> {
    changes += 1;
    return action();
  }

  async function sync(): Promise<void> {
    const covered = changes;
    await handle.datasync();
    durable = Math.max(durable, covered);
  }

  async function writeAndSync(position: number, parts: readonly Uint8Array[]): Promise<void> {
    if (changes > durable) {
      await change(() => write(handle, position, parts));
      return sync();
    }
    // A failed write remains an uncovered change.
    changes += 1;
    const covered = changes;
    synced ??= openSynced();
    await write(await synced, position, parts);
    durable = Math.max(durable, covered);
  }

  async function closeAll(): Promise<void> {
    await handle.close();
    await (await synced?.catch(() => undefined))?.close();
  }

  async function write(to: FileHandle, position: number, parts: readonly Uint8Array[]): Promise<void> {
    const filled = parts.filter(({ length }) => length > 0);
    let total = 0;
    for (const part of filled) total += part.length;
    const buffers = filled.length > 1 && total <= JOIN_BYTES_MAX ? [concatBytes(...filled)] : filled;
    let at = position;
    for (let from = 0; from < buffers.length; from += PARTS_MAX) {
      at = await writeAll(to, at, buffers.slice(from, from + PARTS_MAX));
    }
  }

  return {
    path,
    size: () => guarded('size', async () => (await handle.stat()).size),
    read: (position, length) => guarded('read', () => read(position, length)),
    write: (position, parts) => guarded('write', () => change(() => write(handle, position, parts))),
    truncate: (bytes) => guarded('truncate', () => change(() => handle.truncate(bytes))),
    sync: () => guarded('sync', sync),
    writeAndSync: (position, parts) => guarded('write', () => writeAndSync(position, parts)),
    close() {
      closing ??= call('close', path, closeAll);
      return closing;
    },
  };
}

/** Writes all buffers, and returns the position behind them. */
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
