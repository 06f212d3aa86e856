/**
 * A node that lags, and goes on lagging for as long as a test looks.
 *
 * A node that was only paused catches up between two looks of its alerts, which are a second apart. So it stands still until the
 * others are far ahead, and then runs in slow motion (`slowDown`) until the test has seen what it wanted (`resume`).
 */
import { eventually, type TemporaryNetwork } from '../e2e/temporary-network.ts';

/** For all nodes: ten blocks a second though nobody sends anything. */
export const FAST_BLOCKS: readonly string[] = ['--consensus.idleBlockIntervalMs', '100'];

/** Far more than the alert's eight blocks: in slow motion it takes many seconds to catch up with so many. */
const AHEAD_BLOCKS = 200;
const AHEAD_MS_MAX = 240_000;

/** Pauses the node, if it is not paused already; resolves when the others have left it far behind. Whoever calls makes it go on, whatever happens. */
export async function standStill({ node }: TemporaryNetwork, laggard: string, watcher: string): Promise<void> {
  const { client } = node(watcher);
  node(laggard).process.pause();
  const { height } = await client.status();
  await eventually(`the others are ${AHEAD_BLOCKS} blocks ahead`, AHEAD_MS_MAX, async () =>
    (await client.status()).height > height + AHEAD_BLOCKS ? true : undefined,
  );
}
