import { assert } from '@slipstream/primitives';
import type { BlockReason } from '@slipstream/types';
import type { Cluster, ClusterOptions, NodeCode } from '../harness/cluster.ts';
import type { Scenario, Stage } from '../scenario.ts';

export interface Attack {
  readonly name: string;
  readonly about: string;
  readonly realBls?: boolean;
  /** Default: one or the maximum, by the seed. */
  readonly liars?: 'one' | 'as-many-as-can-be-borne';
  /** Must call `lied` with each lie when `onOccasion` is set. */
  code(liar: number, stage: Stage, lied: () => void): NodeCode;
  /** Liars may find no occasion; only those that lied must be blocked. */
  readonly onOccasion?: boolean;
  /** Views of honest leaders that a liar's view may cost. Default: none. */
  readonly costMax?: number;
  /** Reasons for which every honest node blocks each liar. `never`: no member is blocked. `maybe`: any may be. */
  readonly blockedFor: readonly BlockReason[] | 'never' | 'maybe';
  /** Only nodes that check a lie find it: at least one blocks each liar. Default: all. */
  readonly foundByChance?: boolean;
  /** Final blocks led by each member of a small committee. Default: 5. */
  readonly blocksEach?: number;
  readonly options?: Partial<ClusterOptions>;
  /** Faults of honest nodes; progress counts only after their end. */
  readonly meanwhile?: (cluster: Cluster, stage: Stage) => Promise<void>;
  readonly atLast?: (cluster: Cluster, stage: Stage) => Promise<void>;
}

/** Lying leaders cost their own views; others may take a timeout. */
const BLOCK_MS_MAX = 5000;
/** The first message or the first quorum with its vote exposes a liar; slow nodes need several. */
const BLOCKED_WITHIN_MS = 15_000;
const LIED_WITHIN_MS = 60_000;

export function pickLiars({ size, random, faultyMax }: Stage, liars: Attack['liars']): readonly number[] {
  const count = liars === 'one' || (liars === undefined && random.chance(0.5)) ? 1 : faultyMax;
  const order = Array.from({ length: size }, (_, member) => member);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order.slice(0, count).sort((a, b) => a - b);
}

export function attackScenario(attack: Attack): Scenario {
  return {
    name: attack.name,
    about: attack.about,
    ...(attack.realBls ? { realBls: true } : {}),
    async play(stage) {
      const liars = pickLiars(stage, attack.liars);
      const lied = new Set(attack.onOccasion ? [] : liars);
      const byzantine = new Map(liars.map((liar) => [liar, attack.code(liar, stage, () => lied.add(liar))]));
      const cluster = stage.cluster({ ...attack.options, byzantine });
      cluster.mark(`liars: ${liars}`);
      cluster.start();
      await attack.meanwhile?.(cluster, stage);
      const blocks = stage.turns(attack.blocksEach ?? 5);
      await cluster.progress(blocks, blocks * BLOCK_MS_MAX, cluster.honest);
      checkCost(cluster, attack, stage.earlyVotes ? liars.length : 0);
      await cluster.until('a liar lies', () => lied.size > 0, LIED_WITHIN_MS);
      await checkBlocks(cluster, lied, attack);
      await attack.atLast?.(cluster, stage);
    },
  };
}

/**
 * Lying leaders cost their own views, and of others at most `costMax`. `atFirst`: a view for each liar that gets early votes until it is
 * exposed (rule 4a).
 */
function checkCost({ checks, honest, leaderOf, mark }: Cluster, { costMax = 0 }: Attack, atFirst: number): void {
  const views = Array.from({ length: checks.counts.views }, (_, i) => i + 1);
  const ofLiars = views.filter((view) => !honest.includes(leaderOf(view))).length;
  const lost = [...checks.nullified].filter(([, leader]) => honest.includes(leader)).map(([view]) => view);
  mark(`liars led ${ofLiars} of ${views.length} views; ${lost.length} views of honest leaders were nullified`);
  assert(
    lost.length <= costMax * ofLiars + atFirst,
    `views of honest leaders are not lost: ${lost.length} were (${lost}), with ${ofLiars} led by liars`,
  );
}

async function checkBlocks(
  cluster: Cluster,
  lied: ReadonlySet<number>,
  { blockedFor, foundByChance }: Attack,
): Promise<void> {
  const { blocking } = cluster.checks;
  if (blockedFor === 'maybe') return;
  if (blockedFor === 'never') {
    assert(blocking.blockedMembers.length === 0, `no member is blocked (${blocking.blockedMembers})`);
    return;
  }
  const least = foundByChance ? 1 : cluster.honest.length;
  const hasAll = () => [...lied].every((liar) => blocking.blockedBy(liar).size >= least);
  await cluster.until(`every liar is blocked by ${least} honest nodes`, hasAll, BLOCKED_WITHIN_MS);
  const liars = [...lied].sort((a, b) => a - b);
  for (const liar of liars) {
    for (const reason of blocking.blockedBy(liar).values()) {
      assert(blockedFor.includes(reason as BlockReason), `${liar} is blocked for ${blockedFor}, not ${reason}`);
    }
  }
  assert(blocking.blockedMembers.join() === liars.join(), `exactly ${liars} are blocked (${blocking.blockedMembers})`);
}
