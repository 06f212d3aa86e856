/** Builds the bundle of the program `slipstream` when it is missing or not of these sources. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundleEntry } from '../../packages/checkout/src/bundle.mjs';
import { runPinned } from '../../packages/checkout/src/pinned-node.mjs';
import { withLock } from './lock.mjs';

/** Exit codes after the signals that this process forwards: SIGHUP, SIGINT, SIGTERM. */
const stopCodes = [129, 130, 143];

/**
 * Without a bundle the program runs from its sources: it starts slower, and does the same. So no failure to build ends this process.
 * @param {{ root: string, say: (line: string) => void }} context
 * @returns {Promise<number>} 0, or the exit code to end with when a signal stopped the build
 */
export async function ensureBundle({ root, say }) {
  if (!existsSync(join(root, 'node_modules/rolldown')) || bundleEntry(root) !== undefined) return 0;
  try {
    return await withLock({ root, name: 'bundle', say }, async () => {
      if (bundleEntry(root) !== undefined) return 0;
      const code = await runPinned({ root, file: join(root, 'scripts/bundle.mjs'), args: [] });
      if (stopCodes.includes(code)) return code;
      if (code !== 0) say('the program was not bundled; the lines above say why. It runs from its sources.');
      return 0;
    });
  } catch (error) {
    // Such as a folder that cannot be written.
    say(`the program was not bundled (${error instanceof Error ? error.message : error}). It runs from its sources.`);
    return 0;
  }
}
