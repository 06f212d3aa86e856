import { open, rm } from 'node:fs/promises';

/** Overwrites a secret before it removes the file. A journaling or copying file system may keep older bytes. */
export async function eraseFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    await file.write(new Uint8Array(size), 0, size, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await rm(path);
}
