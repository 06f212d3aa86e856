/** Disks of nodes, each slowed by a file that the node's process reads (slow-disk.mjs). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '@slipstream/checkout';

export interface SlowDisks {
  /** For the node's Node process. */
  runtimeFlagsOf(name: string): readonly string[];
  /** Added to each sync of a file; 0: none. */
  slow(name: string, delayMs: number): void;
}

export function createSlowDisks(folder: string): SlowDisks {
  mkdirSync(folder, { recursive: true });
  const fileOf = (name: string) => join(folder, `${name}.delay`);
  return {
    runtimeFlagsOf(name) {
      const preload = pathToFileURL(join(root, 'scripts/chaos/slow-disk.mjs'));
      preload.searchParams.set('delay', fileOf(name));
      return ['--import', preload.href];
    },
    slow: (name, delayMs) => writeFileSync(fileOf(name), delayMs === 0 ? '' : String(delayMs)),
  };
}
