/** Reads every node's metrics and peers, and its process when it is on this machine. */
import type { NodeHandle } from '../sending/node-handle.ts';
import { parseMetrics } from './metrics-text.ts';
import { seriesValues } from './node-series.ts';
import { type ProcessUse, readProcess } from './process-sampler.ts';

export interface NodeReading {
  readonly node: string;
  /** Undefined for a remote node. */
  readonly process: ProcessUse | undefined;
  /** To and from its peers since its start; undefined without an answer. */
  readonly networkBytes: number | undefined;
  readonly poolTransactions: number | undefined;
  /** Share of the newest non-empty block's transactions that conflict with no other. */
  readonly conflictFreeShare: number | undefined;
  /** Of NODE_SERIES, by name; empty without an answer. */
  readonly series: ReadonlyMap<string, number>;
}

export interface WatchedNode extends NodeHandle {
  /** Process id, when this program started the node. */
  readonly pid?: number | undefined;
}

const ANSWER_MS_MAX = 2_000;

export function readNodes(nodes: readonly WatchedNode[]): Promise<readonly NodeReading[]> {
  return Promise.all(nodes.map(readNode));
}

async function readNode(node: WatchedNode): Promise<NodeReading> {
  const [process, metrics, networkBytes] = await Promise.all([
    node.pid === undefined ? undefined : readProcess(node.pid),
    readMetrics(node),
    readNetwork(node),
  ]);
  return {
    node: node.name,
    process,
    networkBytes,
    poolTransactions: metrics?.get('slipstream_dissemination_pool_transactions'),
    conflictFreeShare: metrics?.get('slipstream_pipeline_conflict_free_share_ratio'),
    series: metrics ? seriesValues(metrics) : new Map(),
  };
}

async function readMetrics({ client, running }: NodeHandle): Promise<ReadonlyMap<string, number> | undefined> {
  if (!running) return undefined;
  try {
    const response = await fetch(`${client.url}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    return response.ok ? parseMetrics(await response.text()) : undefined;
  } catch {
    return undefined;
  }
}

async function readNetwork({ client, running }: NodeHandle): Promise<number | undefined> {
  if (!running) return undefined;
  const peers = await client.call('peers', { timeoutMs: ANSWER_MS_MAX }).catch(() => undefined);
  return peers?.items.reduce((sum, { bytesIn, bytesOut }) => sum + bytesIn + bytesOut, 0);
}
