/** node process.ts ROOT OPERATION PATH NTH before|after: lives, and sends itself SIGKILL at that call on the disk. */
import { writeSync } from 'node:fs';
import type { Disk, DiskFile } from '@slipstream/ports';
import { createDisk } from '../../src/world/index.ts';
import { live, openStore } from './life.ts';

const [root = '', operation, path = '', nth, when] = process.argv.slice(2);
let left = Number(nth);

async function at<T>(name: string, on: string, work: () => Promise<T>): Promise<T> {
  const dies = name === operation && on.includes(path) && --left === 0;
  if (dies && when === 'before') process.kill(process.pid, 'SIGKILL');
  const result = await work();
  if (dies) process.kill(process.pid, 'SIGKILL');
  return result;
}

function deadlyFile(file: DiskFile): DiskFile {
  const deadly: DiskFile = {
    path: file.path,
    size: () => file.size(),
    read: (position, length) => file.read(position, length),
    write: (position, parts) => at('write', file.path, () => file.write(position, parts)),
    truncate: (bytes) => at('truncate', file.path, () => file.truncate(bytes)),
    sync: () => at('sync', file.path, () => file.sync()),
    /** In two steps, so that it can die between them. */
    async writeAndSync(position, parts) {
      await deadly.write(position, parts);
      await deadly.sync();
    },
    close: () => file.close(),
  };
  return deadly;
}

const disk = createDisk({ root });
const deadly: Disk = {
  ...disk,
  open: async (name, options) => deadlyFile(await disk.open(name, options)),
  remove: (name) => at('remove', name, () => disk.remove(name)),
};
await live(await openStore(deadly), (number) => void writeSync(1, `${number}\n`));
