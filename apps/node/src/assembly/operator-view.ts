/** What operators and clients see of a node: backend, event stream, summary of each second, alerts. */
import type { EventHub, Fleet, NodeBackend } from '@slipstream/api';
import type { Consensus } from '@slipstream/consensus';
import type { AttestedChunk, Dissemination } from '@slipstream/dissemination';
import type { NetworkTransport } from '@slipstream/network';
import { to0x } from '@slipstream/primitives';
import type { Stats, Status, StorageStats } from '@slipstream/schema';
import { type Block, hexOf, weightOf } from '@slipstream/types';
import { createBackend } from '../backend/backend.ts';
import { createBlockTimes } from '../backend/block-times.ts';
import { createCommittedTransactions } from '../backend/committed-transactions.ts';
import { createFaucet } from '../backend/faucet.ts';
import { createFleetWatch } from '../backend/fleet-watch.ts';
import { createMoveBoard } from '../backend/moves.ts';
import { createOperationDesk } from '../backend/operation.ts';
import { createPeerBoard } from '../backend/peers.ts';
import { createReads } from '../backend/reads.ts';
import { createSessionReads } from '../backend/session-reads.ts';
import { createTracker } from '../backend/tracker.ts';
import { parseFleetMember } from '../config/fleet-member.ts';
import type { Config } from '../config/keys.ts';
import type { CommittedNews } from '../executor/committed-news.ts';
import type { Executor } from '../executor/executor.ts';
import { ALERT_RULES } from '../telemetry/alert-rules.ts';
import { createAlerts } from '../telemetry/alerts.ts';
import { disseminationStats } from '../telemetry/dissemination-stats.ts';
import { createRateMeter } from '../telemetry/stats.ts';
import { createStorageMeter } from '../telemetry/storage-meter.ts';
import { createStreamEvents } from '../telemetry/stream-events.ts';
import type { Identity } from './identity.ts';
import type { NodeWorld } from './node.ts';
import type { Stores } from './stores.ts';
import type { Verification } from './verification.ts';

export interface OperatorParts extends NodeWorld {
  readonly stores: Stores;
  readonly dissemination: Dissemination;
  readonly executor: Executor;
  readonly consensus: Consensus;
  readonly transport: NetworkTransport;
  readonly verification: Pick<Verification, 'stats' | 'report'>;
}

export interface OperatorSetting {
  readonly identity: Identity;
  readonly config: Config;
  readonly faucetSecret: Uint8Array | undefined;
  /** What the node writes is in it. */
  readonly folder: string;
}

export interface OperatorView {
  readonly backend: NodeBackend;
  readonly fleet: Fleet;
  attested(chunk: AttestedChunk): void;
  ordered(block: Block): void;
  committed(news: CommittedNews): void;
  /** The node is about to stop for good: whoever watches is told why before it does. */
  halted(why: string): void;
  stop(): void;
}

const STATS_MS = 1000;
/** A member that was silent for this long counts as away. */
const HEARD_MS = 5000;
/** With more final heights to go than this, a node is catching up. */
const SYNCING_HEIGHTS = 8;
/** A transaction that is still pending this long after its expiry will never be included. */
const EXPIRY_MARGIN_MS = 5000;

export function createOperatorView(parts: OperatorParts, setting: OperatorSetting, events: EventHub): OperatorView {
  const { stores, dissemination, executor, consensus, transport, verification, clock, random, telemetry } = parts;
  const { identity, config, faucetSecret, folder } = setting;
  const { genesis, genesisHash, committee, validator, peer } = identity;
  const startedMs = clock.monotonicMs();
  const fleet = createFleetWatch(config['fleet.nodes'].map(parseFleetMember), clock, (node) =>
    events.publish('fleet.node', node),
  );
  const board = createPeerBoard(committee, clock.wallMs, fleet.nameOf);
  const rates = createRateMeter(clock.monotonicMs);
  const times = createBlockTimes();
  const storage = createStorageMeter(folder, clock, parts.metrics);
  const alerts = createAlerts(clock.wallMs);
  const moves = createMoveBoard(clock, ({ id, status, height }) =>
    events.publish('transaction.status', { id: `0x${id}`, status, ...(height === undefined ? {} : { height }) }),
  );
  const tracker = createTracker((id, { status, height, index }) =>
    moves.moved({ id, status, ...(height !== undefined && { height }), ...(index !== undefined && { index }) }),
  );
  for (const { name } of ALERT_RULES) telemetry.gauge('node_alert_active', 0, { rule: name });
  const desk = createOperationDesk({
    ...{ clock, telemetry },
    logging: parts.logging,
    finish: parts.finish,
    pending: () => tracker.openCount,
  });
  let headTimestampMs = genesis.timestampMs;
  let halted: string | undefined;
  let cancelStats = () => {};
  let stopped = false;

  telemetry.listen(board.listen);
  telemetry.listen(rates.listen);
  telemetry.listen(times.listen);
  telemetry.listen(storage.listen);
  telemetry.listen(alerts.listen);
  telemetry.listen(
    createStreamEvents(events, {
      committee,
      peerView: (of) => {
        const status = transport.peers().find((known) => known.peer === of);
        return status && board.view(status);
      },
    }),
  );

  function peerCounts() {
    const connected = transport.peers().filter((status) => status.connected);
    const validators = connected.filter((status) => status.role === 'validator');
    return { connected: connected.length, validators: validators.length, blocked: board.blockedCount };
  }

  function silentMembers(): readonly number[] {
    const { lastHeardMs } = consensus.status();
    const since = clock.monotonicMs() - HEARD_MS;
    const silent = committee.members.filter(
      ({ index }) => index !== validator?.index && (lastHeardMs[index] ?? 0) <= since,
    );
    return silent.map(({ index }) => index);
  }

  const heardShare = (): number =>
    (committee.totalWeight - weightOf(silentMembers(), committee)) / committee.totalWeight;

  function status(): Status {
    const { view, finalizedHeight, certifiedHeight } = consensus.status();
    const { committedHeight, state } = executor.status();
    const syncing = consensus.status().highestToldHeight > committedHeight + SYNCING_HEIGHTS;
    const pool = dissemination.stats().pool;
    return {
      chain: genesis.chain,
      genesisHash: to0x(genesisHash),
      development: genesis.development,
      faucet: faucetSecret !== undefined,
      version: '0.1.0',
      node: {
        peer: `0x${peer}`,
        name: config.name,
        role: validator ? 'validator' : 'full-node',
        validator: validator?.index ?? null,
      },
      epoch: 0,
      view,
      height: committedHeight,
      finalHeight: finalizedHeight,
      certifiedHeight,
      headTimestampMs,
      syncing,
      ready: state === 'running' && !syncing && !desk.isDraining && heardShare() * 3 > 2,
      draining: desk.isDraining,
      uptimeMs: clock.monotonicMs() - startedMs,
      peers: peerCounts(),
      mempool: { transactions: pool.transactions, bytes: pool.bytes },
      alerts: [...alerts.active],
    };
  }

  function stats(): Stats {
    const { view, height, finalHeight, certifiedHeight, mempool, peers } = status();
    const read = rates.read();
    const { blocksPerSecond, transactionsPerSecond, blockTimeMs, finalityMs, ...counts } = read;
    const { quorumChecks, votesChecked, bisections } = counts;
    const checks = verification.stats();
    return {
      ...{ height, finalHeight, certifiedHeight, view, blocksPerSecond, transactionsPerSecond },
      ...{ blockTimeMs, finalityMs, mempool, peers },
      signatures: {
        ...{ quorumChecks, votesChecked, bisections, queued: checks.queuedRequests },
        ...{ cacheEntries: checks.cache.size, cacheHits: checks.cache.hits, cacheMisses: checks.cache.misses },
      },
      dissemination: disseminationStats(dissemination.stats(), read),
      storage: storageStats(),
    };
  }

  function storageStats(): StorageStats {
    const { syncs, bytes, records } = stores.log.wal.stats;
    const { state, earliestHeight } = executor.stored();
    const { keys, files, liveBytes, deadBytes, compactions, indexBytes, prepared } = state;
    return {
      ...storage.read(),
      ...{ syncs, records, writtenBytes: bytes },
      state: { keys, files, liveBytes, deadBytes, compactions, indexBytes, prepared },
      retentionBlocks: config['retention.archive'] ? null : config['retention.blocks'],
      ...(earliestHeight === null ? {} : { earliestHeight }),
    };
  }

  function checkAlerts(): void {
    const { finalizedHeight } = consensus.status();
    const { committedHeight, state } = executor.status();
    const read = rates.read();
    const written = storage.read();
    const blockedValidators = board.blockedMembers();
    const { raised, cleared } = alerts.check({
      nowMs: clock.wallMs(),
      sinceFinalMs: read.sinceFinalMs,
      heardShare: heardShare(),
      commitLagBlocks: finalizedHeight - committedHeight,
      outOfOffenderBudget: consensus.status().suspects > 0,
      behindBlocks: consensus.status().highestToldHeight - committedHeight,
      givenUpShare: read.endedViews === 0 ? 0 : read.givenUpViews / read.endedViews,
      endedViews: read.endedViews,
      blockedValidators,
      // Nobody listens to the blocked ones.
      silentValidators: silentMembers().filter((member) => !blockedValidators.includes(member)),
      syncMsP99: written.syncMsP99,
      diskFreeBytes: written.diskFreeBytes,
      halted: halted ?? (state === 'diverged' || state === 'failed' ? `the pipeline is ${state}` : undefined),
    });
    for (const alert of raised) {
      events.publish('alert.raised', alert);
      telemetry.gauge('node_alert_active', 1, { rule: alert.rule });
      telemetry.log('warn', `alert ${alert.rule}: ${alert.message}`, { rule: alert.rule, remedy: alert.remedy });
    }
    for (const { rule, sinceMs } of cleared) {
      telemetry.gauge('node_alert_active', 0, { rule });
      telemetry.log('info', `alert ${rule} is over`, { rule });
      events.publish('alert.cleared', { rule, afterMs: clock.wallMs() - sinceMs });
    }
  }

  function tick(): void {
    if (stopped) return;
    for (const id of tracker.expire(clock.wallMs() - EXPIRY_MARGIN_MS)) tracker.moved(id, 'expired');
    checkAlerts();
    events.publish('stats', stats());
    verification.report();
    cancelStats = clock.after(STATS_MS, tick);
  }

  const transactionOf = createCommittedTransactions(stores.chunks);
  const { ledger } = stores;
  const backend = createBackend({
    ...{
      genesis,
      events,
      dissemination,
      executor,
      ledger,
      consensus,
      transport,
      clock,
      telemetry,
      tracker,
      board,
      moves,
      desk,
    },
    reads: createReads({ ledger, read: executor.read, times, transactionOf, genesisHash, fees: genesis.fees }),
    sessions: createSessionReads({
      ...{ ledger, read: executor.read, transactionOf, genesisHash },
      committeeCertificate: identity.committeeCertificate,
      headTimestampMs: () => headTimestampMs,
    }),
    transactionOf,
    status,
    faucetTransfer:
      faucetSecret && createFaucet({ clock, random, fees: executor.fees }, { genesisHash, secret: faucetSecret }),
  });
  tick();

  return {
    backend,
    fleet,
    attested({ chunkId, producer, transactionIds, sinceCreatedMs }) {
      for (const id of transactionIds) tracker.moved(id, 'attested');
      const transactions = transactionIds.length;
      telemetry.event('chunk.certified', { chunkId: hexOf(chunkId), producer, transactions, sinceCreatedMs });
    },
    ordered(block) {
      for (const { chunkId } of block.payload) {
        void dissemination.transactionsOf(chunkId).then((transactions) => {
          for (const { id } of transactions ?? []) tracker.moved(hexOf(id), 'ordered', { height: block.height });
        });
      }
    },
    committed({ block, executedIds, isFailed }) {
      headTimestampMs = block.timestampMs;
      for (const [place, id] of executedIds.entries()) {
        tracker.moved(id, isFailed(place) ? 'failed' : 'final', { height: block.height, index: place });
      }
    },
    halted(why) {
      halted = why;
      checkAlerts();
    },
    stop() {
      stopped = true;
      cancelStats();
      storage.stop();
      fleet.stop();
      desk.stop();
    },
  };
}
