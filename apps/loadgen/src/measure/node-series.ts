/** The series of a node's metrics that a report draws: those of the appendix of Vryx's report, and this node's own names for them. */

interface NodeSeries {
  readonly title: string;
  readonly unit: string;
  /** One sentence. */
  readonly about: string;
  /** Of /metrics, with a label where only one series counts. */
  readonly metric: string;
  /** `mean`: of a histogram, over the values of each second. */
  readonly kind: 'value' | 'rate' | 'mean';
  /** Divides the values. */
  readonly scale?: number;
}

const MEGABYTE = 1e6;
const UNITS = ['bandwidth', 'compute', 'read', 'allocate', 'write'] as const;

export const NODE_SERIES: readonly NodeSeries[] = [
  mean(
    'Chunk certification',
    'dissemination_certification_ms',
    'From the creation of an own chunk to its certificate.',
  ),
  mean('Block execution', 'pipeline_stage_ms{stage="execute"}', 'Execution of a committed block.'),
  mean('Block commit', 'pipeline_stage_ms{stage="commit"}', 'From finalization to durable and readable.'),
  mean('Log sync', 'wal_sync_ms', 'A sync of the write-ahead log, which each vote waits for.'),
  value('Chunk backlog', 'chunks', 'dissemination_chunks_pending', 'Stored chunks that no committed block includes.'),
  value('Live state', 'MB', 'state_live_bytes', 'Records that the state needs.', MEGABYTE),
  value('Dead state', 'MB', 'state_dead_bytes', 'Replaced records, until their file is compacted.', MEGABYTE),
  value('Chain data', 'MB', 'node_store_bytes', 'Disk usage of all stores.', MEGABYTE),
  rate('Network in', 'MB per second', 'network_received_bytes_total', 'Bytes of frames from peers.', MEGABYTE),
  rate('Network out', 'MB per second', 'network_sent_bytes_total', 'Bytes of frames to peers.', MEGABYTE),
  value('Round trips', 'ms', 'network_peer_round_trip_ms', 'Sum of the round trips to the other validators.'),
  value('Blocks processing', 'blocks', 'consensus_blocks_processing', 'Proposed and undecided.'),
  rate('Blocks accepted', 'blocks per second', 'consensus_blocks_accepted_total', 'Blocks that became final.'),
  rate('Views nullified', 'views per second', 'consensus_views_nullified_total', 'Views that a quorum nullified.'),
  rate('Pruned blocks', 'blocks per second', 'ledger_pruned_blocks_total', 'Blocks removed by retention.'),
  rate('Pruned chunks', 'chunks per second', 'node_pruned_chunks_total', 'Chunks removed with their blocks.'),
  rate(
    'Executable transactions',
    'transactions per second',
    'execution_transactions_executable_total',
    'Transactions of committed blocks with no conflict before them in their block.',
  ),
  rate('Chunks in blocks', 'chunks per second', 'dissemination_chunks_committed_total', 'Chunks in committed blocks.'),
  rate(
    'Expired chunks',
    'chunks per second',
    'dissemination_chunks_expired_total',
    'Chunks that expired without a block.',
  ),
  value('Messages between threads', 'messages', 'node_thread_queue_messages', 'Queued between threads.'),
  value('Queued to peers', 'MB', 'network_peer_queued_bytes', 'Bytes queued to validators.', MEGABYTE),
  rate('State changes', 'MB per second', 'state_appended_bytes_total', 'Bytes appended to the state store.', MEGABYTE),
  ...UNITS.map((dimension) =>
    rate(
      `Units: ${dimension}`,
      'units per second',
      `execution_units_total{dimension="${dimension}"}`,
      `Units of ${dimension} of committed blocks.`,
    ),
  ),
];

function value(title: string, unit: string, name: string, about: string, scale = 1): NodeSeries {
  return { title, unit, about, metric: `slipstream_${name}`, kind: 'value', scale };
}

function rate(title: string, unit: string, name: string, about: string, scale = 1): NodeSeries {
  return { title, unit, about, metric: `slipstream_${name}`, kind: 'rate', scale };
}

function mean(title: string, name: string, about: string): NodeSeries {
  return { title, unit: 'ms', about, metric: `slipstream_${name}`, kind: 'mean' };
}

/** Names of the values that a series is made of. */
export function valuesOf({ metric, kind }: Pick<NodeSeries, 'metric' | 'kind'>): readonly string[] {
  if (kind !== 'mean') return [metric];
  const [name = '', labels = ''] = metric.split(/(?=\{)/);
  return [`${name}_sum${labels}`, `${name}_count${labels}`];
}

const READ = new Set(NODE_SERIES.flatMap(valuesOf));

/** Those that a report draws: a node has some hundred more. */
export function seriesValues(metrics: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...metrics].filter(([name]) => READ.has(name)));
}
