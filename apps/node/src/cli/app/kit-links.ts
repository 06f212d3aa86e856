/** Links to the checkout's kits, so that an application's folder may be anywhere. None is in a registry. */
import { existsSync } from 'node:fs';
import { mkdir, realpath, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '@slipstream/checkout';

const KITS = ['@slipstream/app', '@slipstream/app-test', '@types/node'] as const;

/** Links in `node_modules` of the folder what neither it nor a folder above it has. */
export async function linkKits(folder: string): Promise<void> {
  for (const kit of KITS) {
    const target = join(root, 'node_modules', kit);
    if (isInstalled(folder, kit) || !existsSync(target)) continue;
    const link = join(folder, 'node_modules', kit);
    await mkdir(dirname(link), { recursive: true });
    // A link to a checkout that has moved.
    await rm(link, { force: true });
    await symlink(await realpath(target), link, 'junction');
  }
}

function isInstalled(folder: string, kit: string): boolean {
  if (existsSync(join(folder, 'node_modules', kit))) return true;
  const above = dirname(folder);
  return above !== folder && isInstalled(above, kit);
}
