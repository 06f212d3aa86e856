/** What operators see of a node: its answers to the API's thread, events, summary of each second, alerts. */
import type { Consensus } from '@slipstream/consensus';
import type { AttestedChunk, Dissemination } from '@slipstream/dissemination';
import type { NetworkTransport } from '@slipstream/network';
import { assert, to0x } from '@slipstream/primitives';
import type { Signing, Stats, Status, StorageStats } from '@slipstream/schema';
import { type Block, hexOf } from '@slipstream/types';
import type { Refusal } from '@slipstream/wal';
import type { ApiThread } from '../api-thread/api.ts';
import type { NodeLink } from '../api-thread/node-link.ts';
import { createPeerBoard } from '../backend/peers.ts';
import type { Config } from '../config/keys.ts';
import { NodeError } from '../errors.ts';
import type { CommittedNews } from '../executor/committed-news.ts';
import type { Executor } from '../executor/executor.ts';
import type { Stores } from '../storage/stores.ts';
import { ALERT_RULES } from '../telemetry/alert-rules.ts';
import { createAlerts } from '../telemetry/alerts.ts';
import { createClockWatch } from '../telemetry/clock-watch.ts';
import { disseminationStats, sessionCounts } from '../telemetry/dissemination-stats.ts';
import { meterLosses } from '../telemetry/log-losses.ts';
import { createNodeGauges } from '../telemetry/node-gauges.ts';
import { createRateMeter } from '../telemetry/stats.ts';
import { createStorageMeter } from '../telemetry/storage-meter.ts';
import { createStreamEvents } from '../telemetry/stream-events.ts';
import { VERSION } from '../version.ts';
import type { Identity } from './identity.ts';
import type { NodeWorld } from './node-world.ts';
import { createPeerLiveness } from './peer-liveness.ts';
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
  readonly hasFaucet: boolean;
  /** What the sign state refuses in this life of the process. */
  readonly refusal: Refusal;
  /** Of the newest block that was committed before this start; the genesis time without one. */
  readonly headTimestampMs: number;
  /** What the node writes is in it. */
  readonly folder: string;
}

export interface OperatorView {
  /** What the API's thread asks. */
  readonly link: NodeLink;
  attested(chunk: AttestedChunk): void;
  ordered(block: Block): void;
  committed(news: CommittedNews): void;
  /** The node is about to stop for good: whoever watches is told why before it does. */
  halted(why: string): void;
  /** Told of every reason to stop: a failed disk is an alert. */
  stops(reason: unknown): void;
  stop(): void;
}

const STATS_MS = 1000;
/** With more final heights to go than this, a node is catching up. */
const SYNCING_HEIGHTS = 8;
/** Where the API is off, nobody hears of anything. */
export type OperatorAudience = Pick<ApiThread, 'publish' | 'attested' | 'ordered' | 'committed'>;
export const NO_AUDIENCE: OperatorAudience = { publish() {}, attested() {}, ordered() {}, committed() {} };

export function createOperatorView(
  parts: OperatorParts,
  setting: OperatorSetting,
  audience: OperatorAudience,
): OperatorView {
  const { stores, dissemination, executor, consensus, transport, verification, clock, telemetry } = parts;
  const { identity, config, hasFaucet, folder, refusal } = setting;
  const { genesis, genesisHash, committee, validator, peer } = identity;
  const startedMs = clock.monotonicMs();
  const liveness = createPeerLiveness({ clock, consensus }, { committee, self: validator?.index });
  const board = createPeerBoard(committee, clock.wallMs);
  const rates = createRateMeter(clock.monotonicMs, validator?.index);
  const storage = createStorageMeter(folder, clock, parts.metrics);
  const alerts = createAlerts(clock.monotonicMs);
  const readLosses = meterLosses(parts.logging.losses, telemetry);
  for (const { name: rule, severity } of ALERT_RULES) telemetry.gauge('node_alert_active', 0, { rule, severity });
  const gauges = createNodeGauges(telemetry, {
    ...{
      version: VERSION,
      runtime: process.version,
      chain: genesis.chain,
      genesis: to0x(genesisHash),
      name: config.name,
    },
    ...{ role: validator ? 'validator' : 'full-node', validator: validator ? `${validator.index}` : '' },
  });
  const clocks = createClockWatch(
    {
      ...{ wallMs: clock.wallMs, monotonicMs: clock.monotonicMs },
      isFresh: (view) => view >= consensus.status().view - 1 && !isSyncing() && liveness.knowsChain(),
    },
    { members: committee.members.length, self: validator?.index },
  );
  let headTimestampMs = setting.headTimestampMs;
  /** Told once all that can be said is known: an alert's first words are the ones that are noticed. */
  let halted: string | undefined;
  let diskFailed: string | undefined;
  let cancelStats = () => {};
  let stopped = false;

  telemetry.listen(board.listen);
  telemetry.listen(rates.listen);
  telemetry.listen(storage.listen);
  telemetry.listen(alerts.listen);
  telemetry.listen(clocks.listen);
  telemetry.listen(
    createStreamEvents(audience, {
      committee,
      peerView: (of) => {
        const status = transport.peers().find((known) => known.peer === of);
        return status && board.view(status);
      },
    }),
  );

  function isSyncing(): boolean {
    return consensus.status().highestReportedHeight > executor.status().committedHeight + SYNCING_HEIGHTS;
  }

  function peerCounts() {
    const connected = transport.peers().filter((status) => status.connected);
    const validators = connected.filter((status) => status.role === 'validator');
    return { connected: connected.length, validators: validators.length, blocked: board.blockedCount };
  }

  function status(): Status {
    const { view, finalizedHeight, certifiedHeight } = consensus.status();
    const { committedHeight, state } = executor.status();
    const syncing = isSyncing();
    const pool = dissemination.stats().pool;
    return {
      chain: genesis.chain,
      genesisHash: to0x(genesisHash),
      development: genesis.development,
      faucet: hasFaucet,
      version: VERSION,
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
      ready: state === 'running' && !syncing && liveness.knowsChain(),
      signing: signingOf(consensus, refusal),
      uptimeMs: clock.monotonicMs() - startedMs,
      peers: peerCounts(),
      mempool: { transactions: pool.transactions, bytes: pool.bytes },
      alerts: [...alerts.active],
    };
  }

  function stats(): Stats {
    const { view, height, finalHeight, certifiedHeight, ready, syncing, signing, mempool, peers } = status();
    const read = rates.read();
    const { blocksPerSecond, transactionsPerSecond, blockTimeMs, finalityMs, ...counts } = read;
    const { quorumChecks, votesChecked, bisections } = counts;
    const checks = verification.stats();
    const carried = dissemination.stats();
    return {
      ...{ height, finalHeight, certifiedHeight, view, ready, syncing, signing },
      ...{ blocksPerSecond, transactionsPerSecond },
      ...{ blockTimeMs, finalityMs, mempool, peers },
      signatures: {
        ...{ quorumChecks, votesChecked, bisections, queued: checks.queuedRequests },
        ...{ cacheEntries: checks.cache.size, cacheHits: checks.cache.hits, cacheMisses: checks.cache.misses },
        sessions: sessionCounts(carried, read),
      },
      dissemination: disseminationStats(carried, read),
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
    const { committedHeight } = executor.status();
    const read = rates.read();
    const written = storage.read();
    const { offsetMs: clockOffsetMs, fastLeaders } = clocks.read();
    const reachableWeightShare = liveness.reachableWeightShare();
    gauges.update({ status: status(), reachableWeightShare, sinceFinalMs: read.sinceFinalMs, clockOffsetMs });
    const blockedValidators = board.blockedMembers();
    const { raised, changed, cleared } = alerts.check({
      nowMs: clock.wallMs(),
      ...{ sinceFinalMs: read.sinceFinalMs, finalSinceStart: read.finalSinceStart, reachableWeightShare },
      headAgeMs: committedHeight === 0 ? undefined : clock.wallMs() - headTimestampMs,
      earliestMs: headTimestampMs,
      commitLagBlocks: finalizedHeight - committedHeight,
      outOfOffenderBudget: consensus.status().suspects > 0,
      behindBlocks: consensus.status().highestReportedHeight - committedHeight,
      nullifiedShare: read.endedViews === 0 ? 0 : read.nullifiedViews / read.endedViews,
      endedViews: read.endedViews,
      ownNullifiedShare: read.ownEndedViews === 0 ? 0 : read.ownNullifiedViews / read.ownEndedViews,
      ownEndedViews: read.ownEndedViews,
      blockedValidators,
      // Messages of blocked members are ignored, so they are not listed as offline.
      offlineValidators: liveness.offline().filter((member) => !blockedValidators.includes(member)),
      syncMsP99: written.syncMsP99,
      diskFreeBytes: written.diskFreeBytes,
      ...{ clockOffsetMs, fastLeaders, halted, diskFailed, logLost: readLosses() },
      ...{ signing: signingOf(consensus, refusal), uptimeMs: clock.monotonicMs() - startedMs },
    });
    for (const alert of raised) {
      const { rule, severity, message, remedy } = alert;
      audience.publish('alert.raised', alert);
      telemetry.gauge('node_alert_active', 1, { rule, severity });
      telemetry.log('warn', `alert ${rule}: ${message}`, { rule, severity, remedy });
    }
    for (const alert of changed) audience.publish('alert.changed', alert);
    for (const { rule, severity, sinceMs } of cleared) {
      telemetry.gauge('node_alert_active', 0, { rule, severity });
      telemetry.log('info', `alert ${rule} cleared`, { rule });
      // The clock may have been set back meanwhile.
      audience.publish('alert.cleared', { rule, afterMs: Math.max(0, clock.wallMs() - sinceMs) });
    }
  }

  function tick(): void {
    if (stopped) return;
    checkAlerts();
    audience.publish('stats', stats());
    verification.report();
    cancelStats = clock.after(STATS_MS, tick);
  }

  const link: NodeLink = {
    submitMany: (transactions, source) => dissemination.submitMany(transactions, source),
    pooled: async (id) => dissemination.status(id),
    status: async () => status(),
    async peers() {
      const { votesSeen, votesLate } = consensus.status();
      return board.views(transport.peers()).map((known) => {
        if (known.validator === null) return known;
        const at = known.validator;
        return { ...known, votesSeen: votesSeen[at] ?? 0, votesLate: votesLate[at] ?? 0 };
      });
    },
    metrics: () => parts.metrics.registry.metrics(),
    async blockPeer(peer, reason) {
      if (!transport.peers().some((known) => known.peer === peer)) return { type: 'unknown' };
      transport.block(peer);
      board.blockedBy(peer, reason);
      const { view } = consensus.status();
      telemetry.event('peer.blocked', { peer, reason, detail: 'by an operator', by: 'operator', view });
      return { type: 'done' };
    },
    async unblockPeer(peer) {
      if (!board.isBlocked(peer)) return { type: 'unknown' };
      consensus.unblock(peer);
      board.unblocked(peer);
      return { type: 'done' };
    },
    logLevel: parts.logging.level,
    setLogLevel: parts.logging.setLevel,
    finish: parts.finish,
  };
  tick();

  return {
    link,
    attested({ chunkId, producer, transactionIds, sinceCreatedMs }) {
      audience.attested(transactionIds);
      const transactions = transactionIds.length;
      telemetry.event('chunk.certified', { chunkId: hexOf(chunkId), producer, transactions, sinceCreatedMs });
    },
    ordered(block) {
      const ids = block.payload.flatMap(({ chunkId }) => dissemination.idsOf(chunkId));
      if (ids.length > 0) audience.ordered(ids, block.height);
    },
    committed(news) {
      headTimestampMs = news.block.timestampMs;
      audience.committed(news);
    },
    halted(why) {
      halted = why;
      checkAlerts();
    },
    stops(reason) {
      if (!(reason instanceof NodeError && reason.code === 'disk-failed')) return;
      diskFailed = reason.message;
      checkAlerts();
    },
    stop() {
      stopped = true;
      cancelStats();
      storage.stop();
    },
  };
}

/** null on a full node. */
function signingOf(consensus: Consensus, { reason }: Refusal): Signing | null {
  const signing = consensus.signing();
  if (signing === undefined) return null;
  if (signing.state !== 'refused') return signing;
  assert(reason !== undefined, 'what is refused is refused for a reason');
  return { ...signing, reason };
}
