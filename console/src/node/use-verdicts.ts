/** Verdicts on what is known now. */
import { useStream } from '../stream/use-stream.ts';
import { useNow } from './use-now.ts';
import { judgeAll, judgeChain, judgeNode, type Verdict } from './verdict.ts';

export interface Verdicts {
  readonly node: Verdict;
  readonly chain: Verdict;
  readonly overall: Verdict;
}

export function useVerdicts(): Verdicts {
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
  const node = judgeNode(evidence);
  const chain = judgeChain(evidence);
  return { node, chain, overall: judgeAll(node, chain) };
}
