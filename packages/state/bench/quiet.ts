/** Waits for background work: LevelDB compacts in its own thread, this store indexes. Neither may slow the other. */
import { setTimeout } from 'node:timers/promises';

const WINDOW_MS = 50;
/** Of one core, over all threads. */
const SHARE_MAX = 0.04;
const QUIET_WINDOWS = 3;
const WINDOWS_MAX = 1_200;

export async function untilQuiet(): Promise<void> {
  let quiet = 0;
  for (let window = 0; quiet < QUIET_WINDOWS; window++) {
    if (window === WINDOWS_MAX) throw new Error(`something still works after ${WINDOWS_MAX * WINDOW_MS} ms`);
    const before = process.cpuUsage();
    await setTimeout(WINDOW_MS);
    const { user, system } = process.cpuUsage(before);
    quiet = (user + system) / 1000 < SHARE_MAX * WINDOW_MS ? quiet + 1 : 0;
  }
}
