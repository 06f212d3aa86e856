/**
 * A node that lags for as long as a test needs.
 *
 * A paused node catches up between two checks of its alerts. So it is paused until the others are far ahead, and then runs in slow motion
 * (`slowDown`) until `resume`.
 */
import { eventually, type TemporaryNetwork } from '@slipstream/devnet';

/** Ten blocks per second without load. */
export const FAST_BLOCKS: readonly string[] = ['--consensus-idle-block-interval-ms', '100'];

/** Far above the alert's eight blocks, so that catching up takes many seconds. */
const AHEAD_BLOCKS = 200;
const AHEAD_MS_MAX = 240_000;

/** Resolves when the others are far ahead. The caller must resume the node in any case. */
export async function standStill({ node }: TemporaryNetwork, laggard: string, watcher: string): Promise<void> {
  const { client } = node(watcher);
  node(laggard).process.pause();
  const { height } = await client.status();
  await eventually(`the others are ${AHEAD_BLOCKS} blocks ahead`, AHEAD_MS_MAX, async () =>
    (await client.status()).height > height + AHEAD_BLOCKS ? true : undefined,
  );
}
