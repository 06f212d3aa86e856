/** Statistics with every field, of a full node that has done nothing. */
import type { Stats } from '../src/index.ts';

export const NO_STATS: Stats = {
  height: 0,
  finalHeight: 0,
  certifiedHeight: 0,
  view: 0,
  ready: true,
  syncing: false,
  signing: null,
  blocksPerSecond: 0,
  transactionsPerSecond: 0,
  blockTimeMs: null,
  finalityMs: null,
  mempool: { transactions: 0, bytes: 0 },
  peers: { connected: 0, validators: 0, blocked: 0 },
  signatures: {
    quorumChecks: 0,
    votesChecked: 0,
    bisections: 0,
    cacheEntries: 0,
    cacheHits: 0,
    cacheMisses: 0,
    queued: 0,
    sessions: { granted: 0, used: 0, credentialsChecked: 0, credentialsKnown: 0, refused: [] },
  },
  dissemination: {
    flow: { fromClients: 0, fromPeers: 0, known: 0, refused: [], executed: 0, dropped: [], checking: 0, waiting: 0 },
    chunks: { stored: 0, committed: 0, expired: 0, pending: 0, pendingBytes: 0, wanted: 0 },
    producer: null,
    certifiedChunks: 0,
    certificationMs: null,
  },
  storage: {
    syncs: 0,
    records: 0,
    writtenBytes: 0,
    state: { keys: 0, files: 0, liveBytes: 0, deadBytes: 0, compactions: 0, indexBytes: 0, prepared: 0 },
    retentionBlocks: null,
  },
};
