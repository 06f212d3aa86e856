export { CRASH_MODES, type CrashMode } from './crash.ts';
export { createSimDisk, type SimDisk, type SimDiskOptions } from './disk.ts';
export type { DiskCall, DiskFault, DiskOperation } from './disk-calls.ts';
export { SECTOR_BYTES } from './inode.ts';
export { createLifetime, type Lifetime } from './lifetime.ts';
export { createRandom, type SeededRandom } from './random.ts';
