/** Builders of a node's messages. */
import type {
  BlockView,
  EventData,
  EventType,
  NodeEvent,
  Past,
  Peer,
  Stats,
  Status,
  StreamEvent,
  StreamFullState,
} from '@slipstream/schema';
import { NO_STATS } from '../../packages/schema/test/full-stats.ts';

export const RUN = 'a'.repeat(16);
export const AT_MS = 1_790_000_000_000;

export function idOf(n: number): string {
  return `0x${n.toString(16).padStart(64, '0')}`;
}

export function eventMessage<T extends EventType>(
  sequence: number,
  type: T,
  data: EventData<T>,
  atMs = AT_MS + sequence,
): StreamEvent {
  return { type: 'event', sequence, atMs, event: { type, data } as NodeEvent };
}

export function statusOf(fields: Partial<Status> = {}): Status {
  return {
    chain: 'test',
    genesisHash: idOf(1),
    development: true,
    faucet: true,
    version: '0.1.0',
    node: { peer: idOf(10), name: 'node', role: 'validator', validator: 0 },
    epoch: 0,
    view: 5,
    height: 5,
    finalHeight: 5,
    certifiedHeight: 5,
    headTimestampMs: AT_MS,
    syncing: false,
    ready: true,
    signing: { state: 'signing' },
    uptimeMs: 1_000,
    peers: { connected: 3, validators: 3, blocked: 0 },
    mempool: { transactions: 0, bytes: 0 },
    alerts: [],
    ...fields,
  };
}

export function statsOf(fields: Partial<Stats> = {}): Stats {
  return {
    ...NO_STATS,
    height: 5,
    finalHeight: 5,
    certifiedHeight: 5,
    view: 5,
    blocksPerSecond: 5,
    transactionsPerSecond: 100,
    rowsPerSecond: 0,
    blockTimeMs: { p50: 200, p95: 210, p99: 220 },
    finalityMs: { p50: 90, p95: 95, p99: 99 },
    peers: { connected: 3, validators: 3, blocked: 0 },
    ...fields,
  };
}

export function peerOf(n: number, fields: Partial<Peer> = {}): Peer {
  return {
    peer: idOf(n),
    validator: n,
    role: 'validator',
    connected: true,
    address: null,
    roundTripMs: 1,
    bytesIn: 0,
    bytesOut: 0,
    framesDropped: 0,
    queuedBytes: 0,
    blocked: null,
    ...fields,
  };
}

export interface StateParts {
  readonly status?: Partial<Status>;
  readonly peers?: readonly Peer[];
  readonly blocks?: readonly BlockView[];
  readonly past?: Past;
}

export function stateMessage(
  sequence: number,
  { status, peers = [], blocks = [], past }: StateParts = {},
): StreamFullState {
  const members = [0, 1, 2, 3].map((index) => ({
    index,
    weight: 1,
    blsPublicKey: `0x${'00'.repeat(48)}`,
    peer: idOf(10 + index),
  }));
  const committee = { epoch: 0, totalWeight: 4, quorumWeight: 3, members };
  return {
    type: 'state',
    sequence,
    atMs: AT_MS,
    state: {
      status: statusOf(status),
      committee,
      peers: [...peers],
      blocks: [...blocks],
      stats: null,
      ...(past !== undefined && { past }),
    },
  };
}

export function block(view: number, height = view) {
  return { view, height, blockId: idOf(1_000 + view) };
}

/** As the node lists them. */
export function newestFirst(...blocks: readonly (readonly [height: number, view: number])[]): readonly BlockView[] {
  return blocks.toReversed().map(([height, view]) => ({
    status: 'final',
    transactionCount: 0,
    stateDigest: null,
    receiptsRoot: null,
    block: {
      id: idOf(view),
      height,
      view,
      proposer: 1,
      epoch: 0,
      timestampMs: AT_MS,
      parentId: idOf(0),
      parentView: 0,
      payload: [],
      payloadRoot: idOf(0),
    },
  }));
}
