/** The load generator as a library for scripts, benches and tests. `npm run loadgen` runs main.ts. */
export { lostText, progressLine, resultText, usedCpu } from './command/run-text.ts';
export type { TransactionCounts } from './fate/sent-transactions.ts';
export { createHistogram, type Histogram, type Quantiles } from './measure/histogram.ts';
export type { WatchedNode } from './measure/node-sampler.ts';
export { type ProcessUse, readProcess, readThreads, type ThreadUse, usedSince } from './measure/process-sampler.ts';
export { type ClusterLoad, startClusterLoad, type WatchedLoad, watchedLoad } from './network/cluster-load.ts';
export { killValidators } from './network/kill-validators.ts';
export { startOwnNetwork, type TargetNetwork } from './network/target-network.ts';
export { type PreparedChain, prepareChain } from './prepare.ts';
export { signRun } from './run/sign-run.ts';
export { type RunComponents, type RunOptions, type RunResult, runSteady, warmUp } from './run/steady-run.ts';
export { findKnee } from './search/knee.ts';
export { faultOf } from './search/verdict.ts';
export type { SignedTransfer } from './signing/signed-batch.ts';
export { createSignerPool, type SignerPool } from './signing/signer-pool.ts';
export { blocksOf, sourceOf } from './signing/transfer-source.ts';
export { createSeededRandom } from './workload/seeded-random.ts';
export type { Workload } from './workload/transfer-plan.ts';
