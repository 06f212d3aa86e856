import { useStream } from '../stream/use-stream.ts';
import { chainHealth, type Health, nodeHealth, worseHealth } from './health.ts';
import { useNow } from './use-now.ts';

interface NodeAndChainHealth {
  readonly node: Health;
  readonly chain: Health;
  readonly overall: Health;
}

export function useHealth(): NodeAndChainHealth {
  const connection = useStream((snapshot) => snapshot.connection);
  const status = useStream((snapshot) => snapshot.status);
  const stats = useStream((snapshot) => snapshot.stats);
  const committee = useStream((snapshot) => snapshot.committee);
  const alerts = useStream((snapshot) => snapshot.alerts);
  const views = useStream((snapshot) => snapshot.views);
  const skewMs = useStream((snapshot) => snapshot.skewMs);
  const now = useNow(1_000);

  const last = views.findLast(({ times }) => times.finalizedMs !== undefined || times.committedMs !== undefined);
  const finalAtMs = last?.times.finalizedMs ?? last?.times.committedMs;
  const finalAgoMs = finalAtMs === undefined ? null : Math.max(0, now - skewMs - finalAtMs);
  const evidence = { connection, status, stats, committee, alerts, views, finalAgoMs };
  const node = nodeHealth(evidence);
  const chain = chainHealth(evidence);
  return { node, chain, overall: worseHealth(node, chain) };
}
