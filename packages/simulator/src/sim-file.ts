import { DiskError, type DiskFile } from '@slipstream/ports';
import { concatBytes } from '@slipstream/primitives';
import type { MakeCall } from './disk-calls.ts';
import type { Inode } from './inode.ts';

/** An open file of one process. */
export function mountFile(path: string, inode: Inode, call: MakeCall): DiskFile {
  let open = true;

  function refuseWhenClosed(): void {
    if (!open) throw new DiskError('closed', `${path} is closed`, { path });
  }

  const file: DiskFile = {
    path,
    size: () =>
      call('size', path, () => {
        refuseWhenClosed();
        return inode.bytes().length;
      }),
    read: (position, length) =>
      call('read', path, () => {
        refuseWhenClosed();
        return inode.bytes().slice(position, position + length);
      }),
    write(position, parts) {
      const data = concatBytes(...parts);
      return call(
        'write',
        path,
        () => {
          refuseWhenClosed();
          inode.apply({ type: 'write', position, data });
        },
        undefined,
        {
          bytes: data.length,
          onFault(random) {
            const written = data.subarray(0, random.below(data.length + 1));
            if (open) inode.apply({ type: 'write', position, data: written });
          },
        },
      );
    },
    truncate: (bytes) =>
      call('truncate', path, () => {
        refuseWhenClosed();
        inode.apply({ type: 'truncate', bytes });
      }),
    sync() {
      const changes = inode.beginSync();
      return call('sync', path, refuseWhenClosed, () => inode.commitSync(changes), {
        onFault: () => inode.failSync(changes),
      });
    },
    /** Two calls, so that what fails or is cut off between them is tried too. */
    async writeAndSync(position, parts) {
      await file.write(position, parts);
      await file.sync();
    },
    close: () =>
      call('close', path, () => {
        open = false;
      }),
  };
  return file;
}
