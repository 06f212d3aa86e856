/** Events of one of a committee of four: five views per second, a few nullified, one bisection. */
import { createHash } from 'node:crypto';
import type { Peer, Stats } from '@slipstream/schema';
import type { RunningApi } from '../../packages/api/test/running-api.ts';
import { peerKey } from './peer-key.ts';

type Block = (peer: string, block: NonNullable<Peer['blocked']>) => void;

const VIEW_MS = 200;
const STATS_MS = 1_000;
const NULLIFY_EVERY = 23;
const BISECT_AT_VIEW = 30;
const OFFENDER = 2;

/** `rate`: factor on views and summaries per second. The result stops it. */
export function playEvents({ hub, node }: RunningApi, block: Block, rate: number): () => void {
  let view = 0;
  let height = 0;
  let checks = 0;
  const timers = new Set<NodeJS.Timeout>();

  function after(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, ms);
    timers.add(timer);
  }

  function playView(): void {
    view += 1;
    const leader = view % 4;
    if (view % NULLIFY_EVERY === 0) {
      after(150, () => hub.publish('view.nullified', { view, leader, reason: 'timeout' }));
      return;
    }
    height += 1;
    if (view === BISECT_AT_VIEW) bisect(view);
    playBlock({ view, height, blockId: idOf(`block ${view}`) }, leader);
  }

  function playBlock(named: { view: number; height: number; blockId: string }, leader: number): void {
    const proposedMs = Date.now();
    const jitter = Math.random() * 12;
    const at = (ms: number) => Math.round(proposedMs + ms + jitter);
    const transactions = Math.round(30 + 20 * Math.sin(named.view / 20) + Math.random() * 10);
    hub.publish('block.proposed', { ...named, leader, kind: 'optimistic', chunks: 2 });
    after(18 + jitter, () => hub.publish('block.executed', { ...named, transactions, tookMs: 7.5 }));
    after(42 + jitter, () => {
      quorum('notarize', named.view);
      hub.publish('block.notarized', { ...named, signers: 3 });
    });
    after(80 + jitter, () => {
      quorum('finalize', named.view);
      hub.publish('block.final', { ...named, proposer: leader, timestampMs: proposedMs, sinceProposedMs: 80 + jitter });
    });
    after(86 + jitter, () => {
      quorum('certify', named.view);
      hub.publish('block.certified', { ...named, stateDigest: idOf(`state ${named.view}`), signers: 3 });
    });
    after(100 + jitter, () => {
      node.commit();
      const times = {
        proposedMs,
        preparedMs: at(4),
        executedMs: at(18),
        digestedMs: at(22),
        optCommittedMs: at(40),
        notarizedMs: at(42),
        finalizedMs: at(80),
        certifiedMs: at(86),
        committedMs: at(94),
        notifiedMs: at(97),
      };
      hub.publish('block.committed', {
        ...named,
        proposer: leader,
        timestampMs: proposedMs,
        transactions,
        rows: 0,
        times,
        shadowedMs: 36,
      });
    });
  }

  function quorum(kind: string, at: number): void {
    checks += 1;
    hub.publish('quorum.verified', { kind, view: at, votes: 3, ms: 0.9 + Math.random() });
  }

  function bisect(at: number): void {
    hub.publish('bisection', { kind: 'notarize', view: at, votes: 4, offenders: [OFFENDER], checks: 4, ms: 5.3 });
    const found = {
      reason: 'invalid-signature',
      detail: 'its notarize vote does not verify',
      view: at,
      by: 'node',
    } as const;
    block(peerKey(OFFENDER), { ...found, atMs: Date.now() });
    hub.publish('peer.blocked', { peer: peerKey(OFFENDER), validator: OFFENDER, ...found });
  }

  function stats(): void {
    hub.publish('chunk.certified', {
      chunkId: idOf(`chunk ${view}`),
      producer: view % 4,
      transactions: 40,
      rows: 0,
      sinceCreatedMs: 20 + Math.random() * 30,
    });
    hub.publish('stats', {
      height,
      finalHeight: height,
      certifiedHeight: height,
      view,
      ready: true,
      syncing: false,
      signing: { state: 'signing' },
      blocksPerSecond: 4.8,
      transactionsPerSecond: 180 + 90 * Math.sin(view / 40) + Math.random() * 20,
      rowsPerSecond: 0,
      blockTimeMs: { p50: 200.4 + Math.random() * 4, p95: 212.8 + Math.random() * 20, p99: 351 },
      finalityMs: { p50: 86.2 + Math.random() * 4, p95: 93.5 + Math.random() * 6, p99: 97 },
      mempool: { transactions: Math.round(Math.random() * 40), bytes: 9_000 },
      peers: { connected: 3, validators: 3, blocked: 0 },
      signatures: {
        quorumChecks: checks,
        votesChecked: 3 * checks,
        bisections: 1,
        cacheEntries: 5_000,
        cacheHits: 3 * checks,
        cacheMisses: checks,
        queued: 1,
        sessions: SESSIONS,
      },
      dissemination: disseminationOf(height),
      storage: STORAGE,
    });
  }

  const views = setInterval(playView, VIEW_MS / rate);
  const seconds = setInterval(stats, STATS_MS / rate);
  return () => {
    clearInterval(views);
    clearInterval(seconds);
    for (const timer of timers) clearTimeout(timer);
  };
}

/** The sums match, with some of every kind. */
function disseminationOf(height: number): Stats['dissemination'] {
  const executed = 40 * height;
  return {
    flow: {
      fromClients: executed + 30,
      fromPeers: 25,
      known: 20,
      executed,
      checking: 2,
      waiting: 9,
      refused: [
        { reason: 'pool-full', count: 11 },
        { reason: 'bad-signature', count: 8 },
      ],
      dropped: [{ reason: 'expired', count: 5 }],
    },
    chunks: { stored: height + 1, committed: height, expired: 0, pending: 1, pendingBytes: 9_000, wanted: 0 },
    producer: {
      produced: height,
      transactions: executed,
      certified: height,
      unneeded: 0,
      uncertified: 0,
      ready: 3,
      intervalMs: 25,
    },
    executedRows: 0,
    certifiedChunks: height,
    certificationMs: { p50: 21.5, p95: 40.2, p99: 61 },
  };
}

const SESSIONS = {
  granted: 12,
  used: 340,
  credentialsChecked: 11,
  credentialsKnown: 40,
  refused: [{ reason: 'session-expired', count: 3 }],
};

const STORAGE: Stats['storage'] = {
  syncMsP50: 0.9,
  syncMsP99: 4.2,
  syncs: 900,
  records: 4_000,
  writtenBytes: 5_000_000,
  logBytes: 3_000_000,
  logFiles: 2,
  stateBytes: 9_000_000,
  ledgerBytes: 20_000_000,
  chunkBytes: 15_000_000,
  state: {
    keys: 10_000,
    files: 257,
    liveBytes: 6_000_000,
    deadBytes: 3_000_000,
    compactions: 12,
    indexBytes: 4_000_000,
    prepared: 1,
  },
  snapshots: [{ batch: 1_024, atMs: 1_790_000_000_000 }],
  earliestHeight: 1,
  retentionBlocks: 10_000_000,
  diskFreeBytes: 70_000_000_000,
  diskBytes: 250_000_000_000,
};

function idOf(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}
