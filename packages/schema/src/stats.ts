/** Sent once per second. */
import { Type } from 'typebox';
import { count, DurationMs, Height, type Json, orNull, TimeMs, View } from './scalars.ts';
import { SigningSchema } from './signing.ts';

const Quantiles = Type.Object(
  { p50: DurationMs, p95: DurationMs, p99: DurationMs },
  { title: 'Quantiles', description: 'Over the last minute.' },
);

const ReasonCounts = Type.Array(
  Type.Object({ reason: Type.String({ examples: ['expired'] }), count: count('So many.') }),
);

/**
 * Always: fromClients + fromPeers = known + refused + executed + dropped + checking + waiting;
 * stored = committed + expired + pending;  produced = certified + unneeded + uncertified.
 */
const DisseminationStatsSchema = Type.Object(
  {
    flow: Type.Object(
      {
        fromClients: count('Transactions that clients brought here, since start.'),
        fromPeers: count('Transactions that peers forwarded here, since start.'),
        known: count('Copies of what was in the pool or on the chain already.'),
        refused: ReasonCounts,
        executed: count('By committed blocks.'),
        dropped: ReasonCounts,
        checking: count('Their signatures are being checked now.'),
        waiting: count('In the pool now.'),
      },
      {
        description:
          'in = known + refused + executed + dropped + checking + waiting. Since start, but for the last two.',
      },
    ),
    chunks: Type.Object({
      stored: count('Chunks of all producers, since start.'),
      committed: count('On the final chain.'),
      expired: count('Expired unreferenced.'),
      pending: count('Not on the final chain yet.'),
      pendingBytes: count('Their size.'),
      wanted: count('Asked for by id, not here yet.'),
    }),
    producer: orNull(
      Type.Object(
        {
          produced: count('Own chunks since start.'),
          transactions: count('In them.'),
          certified: count('Stored by a quorum.'),
          unneeded: count('Committed or expired before there was a certificate.'),
          uncertified: count('Neither certified nor committed now.'),
          ready: count('Transactions that wait for the next chunk.'),
          intervalMs: DurationMs,
        },
        { description: 'null on a full node.' },
      ),
    ),
    executedRows: count(
      'Rows of distilled batches that committed blocks charged, since start. None of them is in `flow`.',
    ),
    certifiedChunks: count('Chunks of all producers that were attested here, since start.'),
    /** From creation to certificate: of own chunks on a validator, of all on a full node. */
    certificationMs: orNull(Quantiles),
  },
  { title: 'DisseminationStats' },
);
export type DisseminationStats = Json<typeof DisseminationStatsSchema>;

const StorageStatsSchema = Type.Object(
  {
    /** Missing: nothing was synced in the last minute. */
    syncMsP50: Type.Optional(DurationMs),
    syncMsP99: Type.Optional(DurationMs),
    syncs: count('Of the write-ahead log, since start.'),
    records: count('Records of the write-ahead log, since start.'),
    writtenBytes: count('Of the write-ahead log, since start.'),
    /** Sizes are missing until they are first measured. */
    logBytes: Type.Optional(count('Write-ahead log on disk.')),
    logFiles: Type.Optional(count('Its segments.')),
    stateBytes: Type.Optional(count('State store on disk.')),
    ledgerBytes: Type.Optional(count('Ledger on disk.')),
    chunkBytes: Type.Optional(count('Committed chunks on disk.')),
    state: Type.Object({
      keys: count('Entries.'),
      files: count('Log files.'),
      liveBytes: count('Records that the state still needs.'),
      deadBytes: count('Replaced records, until their file is compacted.'),
      compactions: count('Files rewritten since start.'),
      indexBytes: count('Memory of the index.'),
      prepared: count('Blocks whose changes are held in memory.'),
    }),
    snapshots: Type.Optional(
      Type.Array(Type.Object({ batch: count('Of the state store.'), atMs: TimeMs }), {
        description: 'Served to nodes that join, newest first.',
        maxItems: 64,
      }),
    ),
    /** Missing: the ledger is empty. */
    earliestHeight: Type.Optional(Height),
    retentionBlocks: orNull(count('Committed blocks retained; null: all of them.')),
    diskFreeBytes: Type.Optional(count('Free on the disk that the node writes to.')),
    diskBytes: Type.Optional(count('Size of that disk.')),
  },
  { title: 'StorageStats' },
);
export type StorageStats = Json<typeof StorageStatsSchema>;

const SessionCountsSchema = Type.Object(
  {
    granted: count('By committed blocks of this chain.'),
    used: count('Transactions of committed blocks that sessions carried out.'),
    credentialsChecked: count('Credentials that went through their proof.'),
    credentialsKnown: count('Uses of a credential that was true before: no check.'),
    refused: ReasonCounts,
  },
  { title: 'SessionCounts', description: 'Since start.' },
);

const BrokerStatsSchema = Type.Object(
  {
    sessions: count('Streams of clients.'),
    accounts: count('Accounts that these streams are logged in for.'),
    rowsInFlight: count('Rows without an outcome yet.'),
    windows: count('Headers that clients were asked to sign, since start.'),
    rows: count('Rows in them, since start.'),
    sharesGood: count('Senders in an aggregate, since start.'),
    sharesMissing: count('Senders without a share in time, since start.'),
    sharesFalse: count('Senders whose share did not hold, since start.'),
    stragglers: count('Rows in batches by their own signature, since start.'),
    refused: ReasonCounts,
    dropped: ReasonCounts,
    batchesFinal: count('Batches in final blocks, since start.'),
    rowsFinal: count('Their rows, since start.'),
    batchMs: orNull(Quantiles),
    roundTripMsP95: DurationMs,
  },
  { title: 'BrokerStats', description: 'batchMs: from a header to the final block of its batch.' },
);
export type BrokerStats = Json<typeof BrokerStatsSchema>;

export const StatsSchema = Type.Object(
  {
    height: Height,
    finalHeight: Height,
    certifiedHeight: Height,
    view: View,
    ready: Type.Boolean(),
    syncing: Type.Boolean(),
    draining: Type.Optional(Type.Boolean({ description: 'As in Status: no transactions are taken.' })),
    signing: orNull(SigningSchema),
    blocksPerSecond: Type.Number({ minimum: 0 }),
    transactionsPerSecond: Type.Number({ minimum: 0 }),
    rowsPerSecond: Type.Number({ description: 'Charged rows of distilled batches.', minimum: 0 }),
    blockTimeMs: orNull(Quantiles),
    finalityMs: orNull(Quantiles),
    mempool: Type.Object({ transactions: count('Waiting.'), bytes: count('Their size.') }),
    peers: Type.Object({
      connected: count('Peers.'),
      validators: count('Validators among them.'),
      blocked: count('Blocked.'),
    }),
    signatures: Type.Object({
      quorumChecks: count('Since start.'),
      votesChecked: count('Since start, in quorum checks.'),
      bisections: count('Since start.'),
      cacheEntries: count('Now.'),
      cacheHits: count('Since start.'),
      cacheMisses: count('Since start.'),
      queued: count('Requests waiting for the verifier.'),
      sessions: SessionCountsSchema,
    }),
    dissemination: DisseminationStatsSchema,
    broker: Type.Optional(BrokerStatsSchema),
    storage: StorageStatsSchema,
  },
  { title: 'Stats', description: 'Once per second.' },
);
export type Stats = Json<typeof StatsSchema>;
