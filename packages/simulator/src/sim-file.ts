import { DiskError, type DiskFile } from '@slipstream/ports';
import { concatBytes } from '@slipstream/primitives';
import type { MakeCall } from './disk-calls.ts';
import type { Inode } from './inode.ts';

interface OpenFile {
  readonly path: string;
  readonly inode: Inode;
  readonly call: MakeCall;
  isOpen: boolean;
}

export function mountFile(path: string, inode: Inode, call: MakeCall): DiskFile {
  const file: OpenFile = { path, inode, call, isOpen: true };
  return {
    path,
    size: () => call('size', path, () => contentsOf(file).length),
    read: (position, length) => call('read', path, () => contentsOf(file).slice(position, position + length)),
    write: (position, parts) => write(file, position, parts),
    truncate: (bytes) =>
      call('truncate', path, () => {
        assertOpen(file);
        inode.apply({ type: 'truncate', bytes });
      }),
    sync: () => sync(file),
    /** Two calls, to test faults between them. */
    async writeAndSync(position, parts) {
      await write(file, position, parts);
      await sync(file);
    },
    close: () =>
      call('close', path, () => {
        file.isOpen = false;
      }),
  };
}

function assertOpen({ isOpen, path }: OpenFile): void {
  if (!isOpen) throw new DiskError('closed', `${path} is closed`, { path });
}

function contentsOf(file: OpenFile): Uint8Array {
  assertOpen(file);
  return file.inode.bytes();
}

function write(file: OpenFile, position: number, parts: readonly Uint8Array[]): Promise<void> {
  const data = concatBytes(...parts);
  const effect = (): void => {
    assertOpen(file);
    file.inode.apply({ type: 'write', position, data });
  };
  return file.call('write', file.path, effect, undefined, {
    bytes: data.length,
    onFault(random) {
      const written = data.subarray(0, random.below(data.length + 1));
      if (file.isOpen) file.inode.apply({ type: 'write', position, data: written });
    },
  });
}

function sync(file: OpenFile): Promise<void> {
  const { path, inode, call } = file;
  const changes = inode.beginSync();
  return call(
    'sync',
    path,
    () => assertOpen(file),
    () => inode.commitSync(changes),
    { onFault: () => inode.failSync(changes) },
  );
}
