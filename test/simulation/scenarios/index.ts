/** Every scenario there is, in the order in which `--scenario all` plays them. */
import type { Scenario } from '../scenario.ts';
import { allOnline } from './all-online.ts';
import { diskFull } from './disk-full.ts';
import { divergingExecutor } from './diverging-executor.ts';
import { failingFsync } from './failing-fsync.ts';
import { flappingLinks } from './flapping-links.ts';
import { hailstorm } from './hailstorm.ts';
import { laggingExecutor } from './lagging-executor.ts';
import { lateJoiner } from './late-joiner.ts';
import { lossyLinks } from './lossy-links.ts';
import { observer } from './observer.ts';
import { oneOffline } from './one-offline.ts';
import { oneWayPartition } from './one-way-partition.ts';
import { partitionAndHeal } from './partition-and-heal.ts';
import { recoverFromSlowLinks } from './recover-from-slow-links.ts';
import { restartAllAtOnce } from './restart-all-at-once.ts';
import { slowValidator } from './slow-validator.ts';
import { thousandViews } from './thousand-views.ts';
import { tinyCommittee } from './tiny-committee.ts';
import { uncleanShutdown } from './unclean-shutdown.ts';
import { unequalWeights } from './unequal-weights.ts';

export const SCENARIOS: readonly Scenario[] = [
  allOnline,
  tinyCommittee,
  unequalWeights,
  observer,
  lateJoiner,
  oneOffline,
  slowValidator,
  recoverFromSlowLinks,
  partitionAndHeal,
  oneWayPartition,
  flappingLinks,
  lossyLinks,
  thousandViews,
  uncleanShutdown,
  hailstorm,
  restartAllAtOnce,
  laggingExecutor,
  divergingExecutor,
  diskFull,
  failingFsync,
];
