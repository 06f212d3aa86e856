/** One second of the charts, out of the summary that the node sends. */
import type { Stats } from '@slipstream/schema';
import type { SeriesPoint } from './snapshot.ts';

export function seriesPoint(stats: Stats, atMs: number): SeriesPoint {
  const { dissemination, storage, signatures } = stats;
  const flow = dissemination?.flow;
  return {
    atMs,
    transactionsPerSecond: stats.transactionsPerSecond,
    blocksPerSecond: stats.blocksPerSecond,
    blockTimeP50: stats.blockTimeMs?.p50 ?? null,
    blockTimeP95: stats.blockTimeMs?.p95 ?? null,
    finalityP50: stats.finalityMs?.p50 ?? null,
    finalityP95: stats.finalityMs?.p95 ?? null,
    quorumChecks: signatures?.quorumChecks ?? null,
    votesChecked: signatures?.votesChecked ?? null,
    view: stats.view,
    arrived: flow ? flow.fromClients + flow.fromPeers : null,
    executed: flow?.executed ?? null,
    waiting: flow ? flow.checking + flow.waiting : null,
    certificationP50: dissemination?.certificationMs?.p50 ?? null,
    certificationP99: dissemination?.certificationMs?.p99 ?? null,
    syncs: storage?.syncs ?? null,
    syncP50: storage?.syncMsP50 ?? null,
    syncP99: storage?.syncMsP99 ?? null,
  };
}
