/**
 * Validators killed and restarted while a load runs: one at a time, at random, so that a quorum always stands.
 *
 * Each accepted transaction is to be final exactly once, or reported expired: a node that is killed forgets what it had not passed
 * on, and nothing that another had sent again may be in two blocks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../devnet/cluster.ts';

export interface KillOptions {
  /** Uniform in [0, 1). */
  readonly unit: () => number;
  /** No more are killed once it aborts; who is down then is started again. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Down, and up again, for this long at least, and up to twice as long. */
const PHASE_MS = 2_000;

/** Returns how many were killed, when all run again. */
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
