import type { Consensus } from '@slipstream/consensus';
import { assert, to0x } from '@slipstream/primitives';
import type { Signing, Stats, Status, StorageStats } from '@slipstream/schema';
import type { Block } from '@slipstream/types';
import type { Refusal } from '@slipstream/wal';
import type { AccountVitals } from '../account/reports.ts';
import { disseminationStats, sessionCounts } from '../telemetry/dissemination-stats.ts';
import { VERSION } from '../version.ts';
import { type Instruments, isSyncing } from './instruments.ts';
import type { OperatorParts, OperatorSetting } from './parts.ts';

export interface NodeStatus {
  read(): Status;
  stats(): Stats;
  /** Call with each committed block. */
  committed(block: Pick<Block, 'timestampMs'>): void;
}

type StatusParts = Pick<
  OperatorParts,
  | 'clock'
  | 'startedMs'
  | 'stores'
  | 'dissemination'
  | 'executor'
  | 'epochs'
  | 'consensus'
  | 'transport'
  | 'verification'
  | 'account'
>;

export function createNodeStatus(parts: StatusParts, instruments: Instruments, setting: OperatorSetting): NodeStatus {
  const { clock, startedMs, dissemination, executor, epochs, consensus, transport, verification } = parts;
  const { liveness, peerTable, rates, alerts } = instruments;
  let headTimestampMs = setting.head.timestampMs;

  function peerCounts() {
    const connected = transport.peers().filter((status) => status.connected);
    const validators = connected.filter((status) => status.role === 'validator');
    return { connected: connected.length, validators: validators.length, blocked: peerTable.blockedCount };
  }

  function read(): Status {
    const { view, finalizedHeight, certifiedHeight } = consensus.status();
    const { committedHeight, state } = executor.status();
    const syncing = isSyncing(parts);
    const { transactions, bytes } = dissemination.stats().pool;
    return {
      ...namesOf(setting, epochs.self()),
      epoch: epochs.now(),
      view,
      height: committedHeight,
      finalHeight: finalizedHeight,
      certifiedHeight,
      headTimestampMs,
      syncing,
      ready: state === 'running' && !syncing && liveness.knowsChain(),
      signing: signingOf(consensus, setting.refusal),
      uptimeMs: clock.monotonicMs() - startedMs,
      peers: peerCounts(),
      mempool: { transactions, bytes },
      alerts: [...alerts.active],
      ...accountOf(parts.account()),
    };
  }

  function stats(): Stats {
    const { view, height, finalHeight, certifiedHeight, ready, syncing, signing, mempool, peers } = read();
    const { blocksPerSecond, transactionsPerSecond, rowsPerSecond, blockTimeMs, finalityMs, ...counts } = rates.read();
    const { quorumChecks, votesChecked, bisections } = counts;
    const checks = verification.stats();
    const carried = dissemination.stats();
    return {
      height,
      finalHeight,
      certifiedHeight,
      view,
      ready,
      syncing,
      signing,
      blocksPerSecond,
      transactionsPerSecond,
      rowsPerSecond,
      blockTimeMs,
      finalityMs,
      mempool,
      peers,
      signatures: {
        quorumChecks,
        votesChecked,
        bisections,
        queued: checks.queuedRequests,
        cacheEntries: checks.cache.size,
        cacheHits: checks.cache.hits,
        cacheMisses: checks.cache.misses,
        sessions: sessionCounts(carried, counts),
      },
      dissemination: disseminationStats(carried, counts),
      storage: storageStats(parts, instruments, setting),
    };
  }

  return {
    read,
    stats,
    committed({ timestampMs }) {
      headTimestampMs = timestampMs;
    },
  };
}

function namesOf({ identity, config, hasFaucet }: OperatorSetting, self: number | undefined) {
  const { genesis, genesisHash, peer } = identity;
  const role: Status['node']['role'] = self === undefined ? 'full-node' : 'validator';
  return {
    chain: genesis.chain,
    genesisHash: to0x(genesisHash),
    development: genesis.development,
    faucet: hasFaucet,
    version: VERSION,
    node: { peer: `0x${peer}` as const, name: config.name, role, validator: self ?? null },
  };
}

function accountOf(vitals: AccountVitals | undefined): Pick<Status, 'account'> {
  const account = vitals?.account;
  if (account?.balance === undefined) return {};
  return { account: { account: account.name, balance: account.balance.toString() } };
}

/** null on a full node. */
function signingOf(consensus: Consensus, { reason, nullifiesUpTo }: Refusal): Signing | null {
  const signing = consensus.signing();
  if (signing === undefined) return null;
  if (signing.state !== 'refused') return signing;
  assert(reason !== undefined, 'what is refused is refused for a reason');
  return { ...signing, reason, recovering: nullifiesUpTo >= signing.upToView };
}

function storageStats(
  { stores, executor }: Pick<OperatorParts, 'stores' | 'executor'>,
  { storage }: Pick<Instruments, 'storage'>,
  { config }: Pick<OperatorSetting, 'config'>,
): StorageStats {
  const { syncs, bytes: writtenBytes, records } = stores.log.wal.stats;
  const { state, earliestHeight } = executor.stored();
  const { keys, files, liveBytes, deadBytes, compactions, indexBytes, prepared } = state;
  return {
    ...storage.read(),
    syncs,
    records,
    writtenBytes,
    state: { keys, files, liveBytes, deadBytes, compactions, indexBytes, prepared },
    retentionBlocks: config['retention.archive'] ? null : config['retention.blocks'],
    ...(earliestHeight === null ? {} : { earliestHeight }),
  };
}
