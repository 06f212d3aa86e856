import type { DisseminationStats as Counters } from '@slipstream/dissemination';
import type { DisseminationStats, Stats } from '@slipstream/schema';
import type { Rates } from './stats.ts';

type Reasons = DisseminationStats['flow']['refused'];

export function disseminationStats(
  { pool, flow, chunks, producer, ready, missingChunks }: Counters,
  {
    executedRows,
    certifiedChunks,
    certificationMs,
  }: Pick<Rates, 'executedRows' | 'certifiedChunks' | 'certificationMs'>,
): DisseminationStats {
  const { fromClients, fromPeers, known, executed } = flow;
  const { stored, committed, expired, pending, pendingBytes } = chunks;
  return {
    flow: {
      fromClients,
      fromPeers,
      known,
      executed,
      refused: reasons(flow.refused),
      dropped: reasons(flow.dropped),
      checking: pool.checking,
      waiting: pool.transactions,
    },
    chunks: { stored, committed, expired, pending, pendingBytes, wanted: missingChunks },
    producer: producer ? { ...producer, ready } : null,
    executedRows,
    certifiedChunks,
    certificationMs,
  };
}

type SessionCounts = NonNullable<NonNullable<Stats['signatures']>['sessions']>;

export function sessionCounts(
  { sessions, drops }: Pick<Counters, 'sessions' | 'drops'>,
  { sessionsGranted, sessionTransactions }: Pick<Rates, 'sessionsGranted' | 'sessionTransactions'>,
): SessionCounts {
  const refused = Object.entries(drops).filter(([reason]) => reason.startsWith('session-'));
  return {
    granted: sessionsGranted,
    used: sessionTransactions,
    credentialsChecked: sessions.checked,
    credentialsKnown: sessions.known,
    refused: reasons(Object.fromEntries(refused)),
  };
}

/** The most frequent first. */
function reasons(counts: Readonly<Partial<Record<string, number>>>): Reasons {
  return Object.entries(counts)
    .map(([reason, count]) => ({ reason, count: count ?? 0 }))
    .toSorted((a, b) => b.count - a.count);
}
