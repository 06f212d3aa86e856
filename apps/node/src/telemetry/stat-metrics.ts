/**
 * The statistics of the stream in /metrics: every field of Stats has a place here, and a test compares the two.
 *
 *   gauge, count: set from Stats once per second      elsewhere: the part that knows it reports it, quantiles as a histogram
 */
import type { Telemetry } from '@slipstream/ports';
import type { Stats } from '@slipstream/schema';

type Labels = Readonly<Record<string, string>>;

interface Place {
  readonly metric: string;
  readonly kind: 'elsewhere' | 'gauge' | 'count' | 'count by reason';
  readonly labels?: Labels;
}

const elsewhere = (metric: string): Place => ({ metric, kind: 'elsewhere' });
const gauge = (metric: string): Place => ({ metric, kind: 'gauge' });
const count = (metric: string, labels: Labels = {}): Place => ({ metric, kind: 'count', labels });
const byReason = (place: Place): Place => ({ ...place, kind: 'count by reason' });

const OVERVIEW = {
  height: elsewhere('pipeline_committed_height'),
  finalHeight: elsewhere('consensus_final_height'),
  certifiedHeight: elsewhere('consensus_certified_height'),
  view: elsewhere('consensus_view'),
  ready: elsewhere('node_ready'),
  syncing: elsewhere('node_syncing'),
  draining: elsewhere('node_draining'),
  signing: elsewhere('node_signing'),
  blocksPerSecond: elsewhere('pipeline_block_time_ms'),
  transactionsPerSecond: elsewhere('ledger_committed_transactions_total'),
  rowsPerSecond: elsewhere('execution_rows_total'),
  blockTimeMs: elsewhere('pipeline_block_time_ms'),
  finalityMs: elsewhere('consensus_finality_ms'),
  'mempool.transactions': elsewhere('dissemination_pool_transactions'),
  'mempool.bytes': elsewhere('dissemination_pool_bytes'),
  'peers.connected': elsewhere('network_peers'),
  'peers.validators': elsewhere('network_peers'),
  'peers.blocked': elsewhere('network_peers_blocked'),
} as const satisfies Record<string, Place>;

const SIGNATURES = {
  'signatures.quorumChecks': elsewhere('verifier_quorum_checks_total'),
  'signatures.votesChecked': elsewhere('verifier_votes_checked_total'),
  'signatures.bisections': elsewhere('verifier_bisections_total'),
  'signatures.cacheEntries': elsewhere('verification_cache_entries'),
  'signatures.cacheHits': elsewhere('verification_cache_hits'),
  'signatures.cacheMisses': elsewhere('verification_cache_misses'),
  'signatures.queued': elsewhere('verifier_queued_requests'),
  'signatures.sessions.granted': elsewhere('execution_sessions_granted_total'),
  'signatures.sessions.used': elsewhere('execution_session_transactions_total'),
  'signatures.sessions.credentialsChecked': elsewhere('dissemination_session_credentials_checked'),
  'signatures.sessions.credentialsKnown': elsewhere('dissemination_session_credentials_known'),
  'signatures.sessions.refused': elsewhere('dissemination_dropped_total'),
} as const satisfies Record<string, Place>;

const DISSEMINATION = {
  'dissemination.flow.fromClients': count('dissemination_received_transactions_total', { from: 'clients' }),
  'dissemination.flow.fromPeers': count('dissemination_received_transactions_total', { from: 'peers' }),
  'dissemination.flow.known': count('dissemination_known_transactions_total'),
  'dissemination.flow.refused': byReason(count('dissemination_refused_transactions_total')),
  'dissemination.flow.executed': count('dissemination_executed_transactions_total'),
  'dissemination.flow.dropped': byReason(count('dissemination_evicted_transactions_total')),
  'dissemination.flow.checking': gauge('dissemination_checking_transactions'),
  'dissemination.flow.waiting': elsewhere('dissemination_pool_transactions'),
  'dissemination.chunks.stored': count('dissemination_chunks_stored_total'),
  'dissemination.chunks.committed': count('dissemination_chunks_committed_total'),
  'dissemination.chunks.expired': count('dissemination_chunks_expired_total'),
  'dissemination.chunks.pending': gauge('dissemination_chunks_pending'),
  'dissemination.chunks.pendingBytes': elsewhere('dissemination_chunks_pending_bytes'),
  'dissemination.chunks.wanted': gauge('dissemination_chunks_wanted'),
  'dissemination.producer.produced': count('dissemination_own_chunks_total'),
  'dissemination.producer.transactions': count('dissemination_own_chunk_transactions_total'),
  'dissemination.producer.certified': count('dissemination_own_chunks_certified_total'),
  'dissemination.producer.unneeded': count('dissemination_own_chunks_unneeded_total'),
  'dissemination.producer.uncertified': gauge('dissemination_own_chunks_uncertified'),
  'dissemination.producer.ready': elsewhere('dissemination_ready_transactions'),
  'dissemination.producer.intervalMs': elsewhere('dissemination_chunk_interval_ms'),
  'dissemination.executedRows': elsewhere('execution_rows_total'),
  'dissemination.certifiedChunks': count('dissemination_chunks_certified_total'),
  'dissemination.certificationMs': elsewhere('dissemination_attestation_ms'),
} as const satisfies Record<string, Place>;

const STORAGE = {
  'storage.syncMsP50': elsewhere('wal_sync_ms'),
  'storage.syncMsP99': elsewhere('wal_sync_ms'),
  'storage.syncs': elsewhere('wal_syncs_total'),
  'storage.records': count('wal_records_total'),
  'storage.writtenBytes': elsewhere('wal_written_bytes_total'),
  'storage.logBytes': elsewhere('node_store_bytes'),
  'storage.logFiles': elsewhere('wal_segments'),
  'storage.stateBytes': elsewhere('node_store_bytes'),
  'storage.ledgerBytes': elsewhere('node_store_bytes'),
  'storage.chunkBytes': elsewhere('node_store_bytes'),
  'storage.state.keys': gauge('state_keys'),
  'storage.state.files': gauge('state_files'),
  'storage.state.liveBytes': gauge('state_live_bytes'),
  'storage.state.deadBytes': gauge('state_dead_bytes'),
  'storage.state.compactions': elsewhere('state_compactions_total'),
  'storage.state.indexBytes': gauge('state_index_bytes'),
  'storage.state.prepared': gauge('state_prepared_blocks'),
  'storage.snapshots': gauge('state_snapshots'),
  'storage.earliestHeight': elsewhere('node_earliest_height'),
  'storage.retentionBlocks': gauge('node_retention_blocks'),
  'storage.diskFreeBytes': elsewhere('node_disk_free_bytes'),
  'storage.diskBytes': gauge('node_disk_bytes'),
} as const satisfies Record<string, Place>;

/** The API's thread counts them. */
const BROKER = {
  'broker.sessions': elsewhere('broker_sessions'),
  'broker.accounts': elsewhere('broker_indices'),
  'broker.rowsInFlight': elsewhere('broker_rows_in_flight'),
  'broker.windows': elsewhere('broker_windows_total'),
  'broker.rows': elsewhere('broker_rows_gathered_total'),
  'broker.sharesGood': elsewhere('broker_shares_total'),
  'broker.sharesMissing': elsewhere('broker_shares_total'),
  'broker.sharesFalse': elsewhere('broker_shares_total'),
  'broker.stragglers': elsewhere('broker_stragglers_total'),
  'broker.refused': elsewhere('broker_rows_refused_total'),
  'broker.dropped': elsewhere('broker_rows_dropped_total'),
  'broker.batchesFinal': elsewhere('broker_batches_final_total'),
  'broker.rowsFinal': elsewhere('broker_rows_final_total'),
  'broker.batchMs': elsewhere('broker_batch_final_ms'),
  'broker.roundTripMsP95': elsewhere('broker_round_trip_ms'),
} as const satisfies Record<string, Place>;

/** By path in Stats; metrics without `slipstream_`. */
export const STAT_METRICS: Readonly<Record<string, Place>> = {
  ...OVERVIEW,
  ...SIGNATURES,
  ...DISSEMINATION,
  ...STORAGE,
  ...BROKER,
};

/** Call once per second. Counters continue where the last call left them. */
export function createStatMetrics(telemetry: Pick<Telemetry, 'count' | 'gauge'>): (stats: Stats) => void {
  const counted = new Map<string, number>();
  // Scrapers see a counter of reasons before its first one.
  for (const { metric, kind } of Object.values(STAT_METRICS)) {
    if (kind === 'count by reason') telemetry.count(metric, 0, { reason: 'expired' });
  }

  function countUp(metric: string, total: number, labels: Labels): void {
    const key = `${metric} ${Object.values(labels).join()}`;
    const before = counted.get(key);
    if (before === undefined || total > before) telemetry.count(metric, total - (before ?? 0), labels);
    counted.set(key, total);
  }

  function report({ metric, kind, labels = {} }: Place, value: unknown): void {
    if (kind === 'gauge') telemetry.gauge(metric, levelOf(value));
    else if (kind === 'count') countUp(metric, Number(value), labels);
    else if (kind === 'count by reason') {
      for (const { reason, count: total } of value as { reason: string; count: number }[]) {
        countUp(metric, total, { reason });
      }
    }
  }

  return (stats) => {
    for (const [path, place] of Object.entries(STAT_METRICS)) {
      if (place.kind === 'elsewhere') continue;
      const value = valueAt(stats, path);
      if (value !== undefined) report(place, value);
    }
  };
}

/** A list counts its items; null is a limit that is not set. */
function levelOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return value === null ? Number.POSITIVE_INFINITY : Number(value);
}

/** Undefined: an optional part is missing, or null as the producer of a full node. */
function valueAt(stats: Stats, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, field) => (value as Record<string, unknown> | null | undefined)?.[field], stats);
}
