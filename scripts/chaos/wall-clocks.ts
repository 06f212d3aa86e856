/** Wall clocks of nodes, each shifted by a file that the node's process reads (wall-clock.mjs). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '@slipstream/checkout';

export interface WallClocks {
  /** For the node's Node process. */
  runtimeFlagsOf(name: string): readonly string[];
  move(name: string, offsetMs: number): void;
}

export function createWallClocks(folder: string): WallClocks {
  mkdirSync(folder, { recursive: true });
  const fileOf = (name: string) => join(folder, `${name}.offset`);
  return {
    runtimeFlagsOf(name) {
      const preload = pathToFileURL(join(root, 'scripts/chaos/wall-clock.mjs'));
      preload.searchParams.set('offset', fileOf(name));
      return ['--import', preload.href];
    },
    move: (name, offsetMs) => writeFileSync(fileOf(name), offsetMs === 0 ? '' : String(offsetMs)),
  };
}
