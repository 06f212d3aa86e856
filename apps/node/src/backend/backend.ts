import type { EpochReads, EventHub, NodeBackend, ProvenReads } from '@slipstream/api';
import type { IssuerMeter } from '@slipstream/crypto';
import type { LedgerReader } from '@slipstream/ledger';
import { type AccountKey, epoch as epochOf, type Genesis } from '@slipstream/types';
import type { NodeLink } from '../api-thread/node-link.ts';
import type { ClientSpans } from '../tracing/client-spans.ts';
import type { TransactionOf } from './committed-transactions.ts';
import type { NodeOperation } from './operation.ts';
import type { Reads } from './reads.ts';
import type { RowReads } from './row-reads.ts';
import type { SessionReads } from './session-reads.ts';
import { Submissions } from './submissions.ts';
import type { Tracker } from './tracker.ts';
import { TransactionLookup } from './transaction-lookup.ts';

export interface BackendComponents {
  readonly genesis: Genesis;
  readonly applications: NodeBackend['applications'];
  readonly events: EventHub;
  readonly node: NodeLink;
  readonly ledger: LedgerReader;
  readonly tracker: Tracker;
  readonly reads: Reads;
  readonly sessions: SessionReads;
  readonly epochs: EpochReads;
  readonly proven: ProvenReads;
  readonly root: NodeBackend['root'];
  readonly rows: RowReads;
  /** Its content is undefined when the chunk is pruned. */
  readonly transactionOf: TransactionOf;
  readonly height: () => number;
  /** Of the newest committed block. */
  readonly epoch: () => number;
  /** Timestamp of the ledger's newest block. */
  readonly headTimestampMs: () => number;
  readonly operation: NodeOperation;
  /** Undefined: tracing is off. */
  readonly spans?: ClientSpans | undefined;
  /** Budget for bytes that are no transaction. */
  readonly meter: IssuerMeter;
  /** 0x...; undefined outside the fleet. */
  readonly nameOf: (peer: string) => string | undefined;
  /** Serialized and signed; undefined without a faucet. */
  readonly faucetTransfer: ((to: AccountKey, amount: bigint | undefined) => Promise<Uint8Array>) | undefined;
}

export function createBackend(components: BackendComponents): NodeBackend {
  const { node, operation, reads, nameOf, faucetTransfer } = components;
  const lookup = new TransactionLookup(components);
  const submissions = new Submissions({ ...components, lookup });
  return {
    genesis: components.genesis,
    applications: components.applications,
    events: components.events,
    height: components.height,
    epoch: components.epoch,
    status: async () => operation.withDrain(await node.status()),
    async peers() {
      const peers = await node.peers();
      return peers.map((peer) => {
        const name = nameOf(peer.peer);
        return name === undefined ? peer : { ...peer, name };
      });
    },
    submit: (bytes, source) => submissions.submit(bytes, source),
    submitMany: (transactions, source) => submissions.submitMany(transactions, source),
    operation: operation.operation,
    transaction: (id) => lookup.find(id),
    waitFor: (id, stages, signal) => lookup.waitFor(id, stages, signal),
    proof: (id) => lookup.proof(id),
    faucet: faucetTransfer && (async (account, amount) => submissions.submit(await faucetTransfer(account, amount))),
    ...components.sessions,
    epochs: components.epochs,
    proven: components.proven,
    accounts: reads.accounts,
    directoryEntry: reads.directoryEntry,
    accountData: reads.accountData,
    accountTransactions: reads.accountTransactions,
    block: reads.block,
    blocks: reads.blocks,
    blockTransactions: reads.blockTransactions,
    blockOutcomes: reads.blockOutcomes,
    blockBatches: reads.blockBatches,
    batch: reads.batch,
    batchRows: reads.batchRows,
    certificates: reads.certificates,
    fees: reads.fees,
    root: components.root,
    handovers: (from, limit) => components.ledger.handovers(epochOf(from), limit),
    evidence: reads.evidence,
    blockPeer: node.blockPeer,
    unblockPeer: node.unblockPeer,
    artifacts: node.artifacts,
    acceptArtifact: node.acceptArtifact,
    quarantine: node.quarantine,
    quarantineAction: node.quarantineAction,
    liftQuarantine: node.liftQuarantine,
  };
}
