/** A tmpfs under one node's data folder, to be filled, where this process may mount one. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  free(): void;
  unmount(): void;
}

const MIB = 1024 * 1024;
const FILLER = 'filler';

/** Returns why mounting is not allowed. */
export function mountSmallDisk(folder: string, bytes: number): SmallDisk | { readonly reason: string } {
  mkdirSync(folder, { recursive: true });
  const options = `size=${bytes},mode=0700`;
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'slipstream-chaos', folder], { encoding: 'utf8' });
  if (mounted.status !== 0) {
    return { reason: `no small disk can be mounted here (${(mounted.stderr ?? String(mounted.error)).trim()})` };
  }
  const filler = join(folder, FILLER);
  let mountedStill = true;

  function unmount(): void {
    if (!mountedStill) return;
    mountedStill = false;
    spawnSync('umount', [folder]);
    process.off('exit', unmount);
  }
  process.once('exit', unmount);

  return {
    folder,
    fill() {
      const file = openSync(filler, 'w');
      try {
        for (let piece = Buffer.alloc(MIB); piece.length > 0; ) {
          try {
            writeSync(file, piece);
          } catch {
            // Full for this size: smaller pieces.
            piece = piece.subarray(0, Math.floor(piece.length / 2));
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    unmount,
  };
}
