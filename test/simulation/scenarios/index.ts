/** In the order of `--scenario all`. */
import type { Scenario } from '../scenario.ts';
import { boundaryNeverFinal } from '../traps/boundary-never-final.ts';
import { cascadeTrap } from '../traps/cascade.ts';
import { certifiedThroughDescendant } from '../traps/certified-through-descendant.ts';
import { copyOverBoundary } from '../traps/copy-over-boundary.ts';
import { crashBeforeLast, oldViewNewEpoch, staleLeaver, upDownUp } from '../traps/epoch-ends.ts';
import { farAhead } from '../traps/far-ahead.ts';
import { finalizationFirst } from '../traps/finalization-first.ts';
import { lateExecutor } from '../traps/late-executor.ts';
import { liarToOne } from '../traps/liar-to-one.ts';
import { lostLogs } from '../traps/lost-logs.ts';
import { madeUpConfirmation } from '../traps/made-up-confirmation.ts';
import { powerCut } from '../traps/power-cut.ts';
import { replayedProposal } from '../traps/replayed-proposal.ts';
import { restartedApart } from '../traps/restarted-apart.ts';
import { silentProposer } from '../traps/silent-proposer.ts';
import { splitVotes } from '../traps/split-votes.ts';
import { staleCopy, staleCopyAllRestart, staleCopyUnheard, startedTwice } from '../traps/stale-copy.ts';
import { staleMark } from '../traps/stale-mark.ts';
import { allOnline } from './all-online.ts';
import { applicationCalls, escrowScenario, ordersScenario, parallelScenario } from './application-calls.ts';
import { applicationUpgrade } from './application-upgrade.ts';
import { asFastAsBefore } from './as-fast-as-before.ts';
import { badServer } from './bad-server.ts';
import { benchAndReturn } from './bench-and-return.ts';
import { boundaryCrashSweep, crashOverBoundary } from './boundary-crashes.ts';
import { behindByEpochs, blockedOverEpochs, slowSeal, twoLeave } from './changing-committees.ts';
import {
  ackDropper,
  badPayload,
  badSignaturePacker,
  certifiedOnlyLeader,
  chunkEquivocator,
  chunkFlood,
  chunkReplayer,
  chunkWithholder,
  decompressionBomb,
} from './chunk-attacks.ts';
import { deadProducer, transactions, transactionsAndPowerCuts } from './chunks.ts';
import { conflicter } from './conflicter.ts';
import { contradictingKinds } from './contradicting-kinds.ts';
import { crashSweep } from './crash-sweep.ts';
import { damagedDisk } from './damaged-disk.ts';
import { blockedLeaders, deadLeaders, leadersThatLookDead, noQuorumActive } from './dead-leaders.ts';
import { diskFull } from './disk-full.ts';
import { divergingExecutor } from './diverging-executor.ts';
import { edgeCases, lenientNode } from './edge-cases.ts';
import { payloadFiller, turnThief, withheldBoundary } from './epoch-attacks.ts';
import { boundaryUnderLoss, epochs, joinerDown, partitionOverBoundary, replaceAll } from './epochs.ts';
import { changeableEquivocator, fullEquivocator, normalEquivocator, optimisticEquivocator } from './equivocator.ts';
import { slowExecutors, stuckExecutors } from './executors-behind.ts';
import { failingFsync, failingOpen, failingRename } from './failing-fsync.ts';
import { falseCloser } from './false-closer.ts';
import { finalityAtBoundaries } from './finality-at-boundaries.ts';
import { flappingLinks } from './flapping-links.ts';
import { flood } from './flood.ts';
import { follower } from './follower.ts';
import { forger } from './forger.ts';
import { forker } from './forker.ts';
import { hailstorm } from './hailstorm.ts';
import { impersonator } from './impersonator.ts';
import { intervalsLongerThanTimers } from './intervals-longer-than-timers.ts';
import { manyInvalidSigners, oneInvalidSigner } from './invalid-signer.ts';
import { laggingExecutor } from './lagging-executor.ts';
import { lateJoiner } from './late-joiner.ts';
import { leaderToASubset } from './leader-to-a-subset.ts';
import { leakedOldQuorum } from './leaked-old-quorum.ts';
import { linksSlowerAndIdleForLong, linksSlowerForLong, linksSlowerThanTimers } from './links-slower-than-timers.ts';
import { lossyLinks } from './lossy-links.ts';
import { lowerLimits } from './lower-limits.ts';
import { lyingConfirmer } from './lying-confirmer.ts';
import { madeUpRanges } from './made-up-ranges.ts';
import { muteServer } from './mute-server.ts';
import { nuller } from './nuller.ts';
import { observer } from './observer.ts';
import { oneOffline } from './one-offline.ts';
import { oneWayPartition } from './one-way-partition.ts';
import { outdated } from './outdated.ts';
import { partitionAndHeal } from './partition-and-heal.ts';
import { pipelineCrashes, pipelineDiverging, pipelineEquivocators, pipelineLagging } from './pipeline.ts';
import { recoverFromSlowLinks } from './recover-from-slow-links.ts';
import { replayer } from './replayer.ts';
import { reputationLong } from './reputation-long.ts';
import { restartAllAtOnce } from './restart-all-at-once.ts';
import { restartUnderLoss } from './restart-under-loss.ts';
import { slowLinksForGood } from './slow-links-for-good.ts';
import { slowReader } from './slow-reader.ts';
import { slowValidator } from './slow-validator.ts';
import { thousandViews } from './thousand-views.ts';
import { tinyCommittee } from './tiny-committee.ts';
import { toNextLeaderOnly } from './to-next-leader-only.ts';
import { sampledTwins, sustainedTwins } from './twins.ts';
import { uncleanShutdown } from './unclean-shutdown.ts';
import { unequalWeights } from './unequal-weights.ts';
import { mixedFaults, unreliable } from './unreliable.ts';
import { wholeCrashes, wholeLateNode, wholePartitions } from './whole.ts';
import { wholeBatches } from './whole-batches.ts';
import { wholeBoundary, wholeEpochs, wholeEpochsCrashes } from './whole-epochs.ts';
import { wholeForgeries } from './whole-forgeries.ts';
import { rotateAll } from './whole-rotations.ts';
import { withheldNotarization } from './withheld-notarization.ts';
import { wrongEpoch } from './wrong-epoch.ts';
import { wrongHeights } from './wrong-heights.ts';

export const SCENARIOS: readonly Scenario[] = [
  allOnline,
  tinyCommittee,
  unequalWeights,
  observer,
  follower,
  lateJoiner,
  oneOffline,
  slowValidator,
  deadLeaders,
  blockedLeaders,
  leadersThatLookDead,
  noQuorumActive,
  recoverFromSlowLinks,
  linksSlowerThanTimers,
  linksSlowerForLong,
  linksSlowerAndIdleForLong,
  slowLinksForGood,
  intervalsLongerThanTimers,
  partitionAndHeal,
  oneWayPartition,
  flappingLinks,
  lossyLinks,
  thousandViews,
  uncleanShutdown,
  hailstorm,
  restartAllAtOnce,
  restartUnderLoss,
  asFastAsBefore,
  laggingExecutor,
  slowExecutors,
  stuckExecutors,
  divergingExecutor,
  edgeCases,
  lenientNode,
  diskFull,
  failingFsync,
  failingRename,
  failingOpen,
  damagedDisk,
  conflicter,
  contradictingKinds,
  nuller,
  oneInvalidSigner,
  manyInvalidSigners,
  impersonator,
  wrongEpoch,
  outdated,
  leaderToASubset,
  withheldNotarization,
  toNextLeaderOnly,
  optimisticEquivocator,
  normalEquivocator,
  fullEquivocator,
  changeableEquivocator,
  forker,
  lyingConfirmer,
  wrongHeights,
  forger,
  flood,
  replayer,
  sampledTwins,
  sustainedTwins,
  muteServer,
  badServer,
  madeUpRanges,
  transactions,
  transactionsAndPowerCuts,
  deadProducer,
  slowReader,
  chunkWithholder,
  ackDropper,
  certifiedOnlyLeader,
  chunkEquivocator,
  badSignaturePacker,
  badPayload,
  decompressionBomb,
  chunkFlood,
  chunkReplayer,
  unreliable,
  mixedFaults,
  silentProposer,
  finalizationFirst,
  cascadeTrap,
  farAhead,
  certifiedThroughDescendant,
  lateExecutor,
  liarToOne,
  madeUpConfirmation,
  powerCut,
  replayedProposal,
  restartedApart,
  staleCopy,
  staleCopyUnheard,
  staleCopyAllRestart,
  startedTwice,
  staleMark,
  lostLogs,
  splitVotes,
  crashBeforeLast,
  oldViewNewEpoch,
  staleLeaver,
  copyOverBoundary,
  upDownUp,
  boundaryNeverFinal,
  crashSweep,
  pipelineCrashes,
  applicationCalls,
  escrowScenario,
  ordersScenario,
  parallelScenario,
  pipelineEquivocators,
  pipelineLagging,
  pipelineDiverging,
  wholeCrashes,
  wholePartitions,
  wholeLateNode,
  wholeBatches,
  wholeBoundary,
  applicationUpgrade,
  benchAndReturn,
  reputationLong,
  wholeEpochs,
  wholeEpochsCrashes,
  wholeForgeries,
  rotateAll,
  lowerLimits,
  finalityAtBoundaries,
  epochs,
  replaceAll,
  joinerDown,
  boundaryUnderLoss,
  partitionOverBoundary,
  crashOverBoundary,
  boundaryCrashSweep,
  falseCloser,
  payloadFiller,
  withheldBoundary,
  turnThief,
  leakedOldQuorum,
  behindByEpochs,
  slowSeal,
  twoLeave,
  blockedOverEpochs,
];
