/** Builds the bundle of the program `slipstream` when it is missing or not of these sources. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundleEntry } from '../../packages/checkout/src/bundle.mjs';
import { runPinned } from '../../packages/checkout/src/pinned-node.mjs';
import { withLock } from './lock.mjs';

/**
 * Without a bundle the program runs from its sources: it starts slower, and does the same.
 * @param {{ root: string, say: (line: string) => void }} context
 * @returns {Promise<void>}
 */
export async function ensureBundle({ root, say }) {
  if (!existsSync(join(root, 'node_modules/rolldown')) || bundleEntry(root) !== undefined) return;
  await withLock({ root, name: 'bundle', say }, async () => {
    if (bundleEntry(root) !== undefined) return;
    const code = await runPinned({ root, file: join(root, 'scripts/bundle.mjs'), args: [] });
    if (code !== 0) say('the program was not bundled; the lines above say why. It runs from its sources.');
  });
}
