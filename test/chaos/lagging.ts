/**
 * A node that lags for as long as a test needs.
 *
 * A node that was only paused catches up between two checks of its alerts, which are a second apart. So it is paused until the others are
 * far ahead, and then runs in slow motion (`slowDown`) until the test calls `resume`.
 */
import { eventually, type TemporaryNetwork } from '../e2e/temporary-network.ts';

/** For all nodes: ten blocks per second without load. */
export const FAST_BLOCKS: readonly string[] = ['--consensus.idleBlockIntervalMs', '100'];

/** Far more than the alert's eight blocks, so that catching up in slow motion takes many seconds. */
const AHEAD_BLOCKS = 200;
const AHEAD_MS_MAX = 240_000;

/** Pauses the node if needed; resolves when the others are far ahead. The caller must resume it in any case. */
export async function standStill({ node }: TemporaryNetwork, laggard: string, watcher: string): Promise<void> {
  const { client } = node(watcher);
  node(laggard).process.pause();
  const { height } = await client.status();
  await eventually(`the others are ${AHEAD_BLOCKS} blocks ahead`, AHEAD_MS_MAX, async () =>
    (await client.status()).height > height + AHEAD_BLOCKS ? true : undefined,
  );
}
