/**
 * Kills and restarts validators while a load runs: one at a time, at random, so that a quorum always runs.
 *
 * A killed node loses what it had not forwarded, and a transaction sent again must not be in two blocks. So each accepted transaction must
 * be final exactly once, or reported as expired.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '@slipstream/devnet';

interface KillOptions {
  /** Uniform in [0, 1). */
  readonly unit: () => number;
  /** Ends the killing; the stopped validator is started again. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Least time down, and least time up between kills; the most is twice as long. */
const PHASE_MS = 2_000;

/** Resolves with the number of kills, when all run again. */
export async function killValidators(cluster: Cluster, { unit, signal, say }: KillOptions): Promise<number> {
  const validators = cluster.nodes.filter(({ validator }) => validator !== undefined);
  const phase = () => sleep(PHASE_MS * (1 + unit()), undefined, { signal }).catch(() => undefined);
  let kills = 0;
  await phase();
  while (!signal.aborted) {
    const victim = validators[Math.floor(unit() * validators.length)]?.name ?? '';
    say(`  killing ${victim}`);
    await cluster.kill([victim]);
    kills += 1;
    await phase();
    await cluster.start([victim]);
    say(`  ${victim} runs again`);
    await phase();
  }
  return kills;
}
