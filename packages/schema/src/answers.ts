/** Answers of the REST routes except chain data. */
import { Type } from 'typebox';
import { ApplicationEventSchema } from './applications.ts';
import { BlockSchema, CertificateSchema, ProofSchema, ReceiptSchema, TransactionSchema, UnitsSchema } from './chain.ts';
import { ProblemSchema, REFUSAL_REASONS } from './problem.ts';
import { RowReceiptSchema } from './rows.ts';
import {
  Account,
  Amount,
  Bytes,
  Cursor,
  count,
  DurationMs,
  EPOCH_MAX,
  fixedBytes,
  Height,
  Id,
  type Json,
  MANY_ACCOUNTS_MAX,
  orNull,
  PeerId,
  TimeMs,
  View,
} from './scalars.ts';
import { SigningSchema } from './signing.ts';
import { StateProofSchema } from './state-proofs.ts';

/** The last four are terminal; `skipped` is of rows alone. */
export const TRANSACTION_STATUSES = [
  ...(['pending', 'attested', 'ordered'] as const),
  ...(['final', 'failed', 'expired', 'skipped'] as const),
] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** That a caller may wait for, in order. */
export const WAIT_STAGES = ['attested', 'ordered', 'final'] as const;
export type WaitStage = (typeof WAIT_STAGES)[number];

export const TransactionViewSchema = Type.Object(
  {
    id: Id,
    status: Type.Enum([...TRANSACTION_STATUSES], {
      description:
        'final: carried out; failed: included, a fee charged, nothing else changed; expired: never to be included; skipped: a row that had no effect in its batch. pending with a reason: this node has put it aside, and until expiryMs it may still be included.',
    }),
    expiryMs: Type.Optional(TimeMs),
    height: Type.Optional(Height),
    reason: Type.Optional(Type.Enum([...REFUSAL_REASONS], { description: 'Why this node put it aside, when it did.' })),
    transaction: Type.Optional(TransactionSchema),
    receipt: Type.Optional(ReceiptSchema),
    events: Type.Optional(
      Type.Array(ApplicationEventSchema, {
        description: "Of applications, in the receipt's output: missing where it has none.",
      }),
    ),
    failure: Type.Optional(
      Type.String({ description: "Of application-failed: the application's own code.", examples: ['not-yours'] }),
    ),
    proof: Type.Optional(ProofSchema),
    row: Type.Optional(RowReceiptSchema),
  },
  {
    title: 'TransactionView',
    description:
      'A transaction as this node knows it. Of a row id: `row` with its outcome; the proof is a route of its own.',
  },
);
export type TransactionView = Json<typeof TransactionViewSchema>;

export const BatchResultSchema = Type.Object(
  {
    results: Type.Array(
      Type.Union([
        Type.Object({ ok: Type.Literal(true), id: Id, status: Type.Enum([...TRANSACTION_STATUSES]) }),
        Type.Object({ ok: Type.Literal(false), problem: ProblemSchema }),
      ]),
      { description: 'One entry a transaction, in order.' },
    ),
  },
  { title: 'BatchResult' },
);
export type BatchResult = Json<typeof BatchResultSchema>;

export const AccountViewSchema = Type.Object(
  {
    account: Account,
    balance: Amount,
    exists: Type.Boolean({ description: 'Whether it has a balance or an index.' }),
    index: Type.Optional(count('Newest index in the account directory.', 2 ** 32 - 1)),
    last: Type.Optional(count('Highest sequence of a distilled row of this index; 0: none.', 2 ** 32 - 1)),
    height: Height,
    proof: Type.Optional(StateProofSchema),
  },
  { title: 'AccountView' },
);
export type AccountView = Json<typeof AccountViewSchema>;

export const AccountsSchema = Type.Object(
  {
    items: Type.Array(AccountViewSchema, {
      description: 'One for each that was asked about, in that order; all of one height.',
      maxItems: MANY_ACCOUNTS_MAX,
    }),
  },
  { title: 'Accounts' },
);

export const AccountDataSchema = Type.Object(
  {
    account: Account,
    name: Type.String(),
    value: Bytes,
    height: Height,
    proof: Type.Optional(StateProofSchema),
  },
  { title: 'AccountData' },
);

const next = Type.Union([Cursor, Type.Null()], { description: 'For the next page; null on the last.' });

const TransactionSummarySchema = Type.Object(
  {
    id: Id,
    height: Height,
    index: count('Position in its block.'),
    timestampMs: TimeMs,
    status: Type.Enum([...TRANSACTION_STATUSES]),
    sender: Type.Optional(Account),
    kinds: Type.Array(Type.String({ description: 'Kinds of its actions.', examples: ['transfer'] })),
    fee: Amount,
  },
  { title: 'TransactionSummary' },
);
export type TransactionSummary = Json<typeof TransactionSummarySchema>;

export const TransactionPageSchema = Type.Object(
  { items: Type.Array(TransactionSummarySchema), next },
  { title: 'TransactionPage' },
);
export type TransactionPage = Json<typeof TransactionPageSchema>;

/** On this node; an unfinished stage is missing. */
export const StageTimesSchema = Type.Object(
  {
    proposedMs: Type.Optional(TimeMs),
    preparedMs: Type.Optional(TimeMs),
    executedMs: Type.Optional(TimeMs),
    digestedMs: Type.Optional(TimeMs),
    optCommittedMs: Type.Optional(TimeMs),
    notarizedMs: Type.Optional(TimeMs),
    certifiedMs: Type.Optional(TimeMs),
    finalizedMs: Type.Optional(TimeMs),
    committedMs: Type.Optional(TimeMs),
    notifiedMs: Type.Optional(TimeMs),
  },
  { title: 'StageTimes' },
);
export type StageTimes = Json<typeof StageTimesSchema>;

export const BlockViewSchema = Type.Object(
  {
    block: BlockSchema,
    status: Type.Enum(['ordered', 'final'], { description: 'ordered: final, not yet certified and committed here.' }),
    transactionCount: count('Receipts of the block.'),
    batchCount: Type.Optional(count('Distilled batches that ran. Missing: the chain has no account directory.')),
    stateDigest: orNull(Id),
    receiptsRoot: orNull(Id),
    times: Type.Optional(StageTimesSchema),
  },
  { title: 'BlockView' },
);
export type BlockView = Json<typeof BlockViewSchema>;

function idList(description: string) {
  return Type.String({ description, pattern: '^0x([0-9a-f]{64})*$', examples: [`0x${'0b'.repeat(64)}`] });
}

export const BlockOutcomesSchema = Type.Object(
  {
    height: Height,
    blockId: Id,
    success: idList('Ids of the transactions that were carried out, back to back: 64 digits each.'),
    failed: idList('The same of those that failed: included, charged, nothing else changed.'),
  },
  {
    title: 'BlockOutcomes',
    description: 'What became of every transaction of a block, in as few bytes as JSON allows.',
  },
);
export type BlockOutcomes = Json<typeof BlockOutcomesSchema>;

export const BlockPageSchema = Type.Object({ items: Type.Array(BlockViewSchema), next }, { title: 'BlockPage' });
export type BlockPage = Json<typeof BlockPageSchema>;

export const HeightCertificatesSchema = Type.Object(
  { height: Height, blockId: Id, finalization: orNull(CertificateSchema), state: orNull(CertificateSchema) },
  { title: 'HeightCertificates' },
);
export type HeightCertificates = Json<typeof HeightCertificatesSchema>;

export const FeesSchema = Type.Object(
  {
    height: Height,
    prices: UnitsSchema,
    minimumPrices: UnitsSchema,
    targets: UnitsSchema,
    limits: UnitsSchema,
    windowBlocks: count('Blocks between two changes of price.'),
    windowEndsAt: Height,
  },
  { title: 'Fees', description: 'Price of a unit in each dimension, in force at this height.' },
);
export type Fees = Json<typeof FeesSchema>;

export const CommitteeSchema = Type.Object(
  {
    epoch: count('Epoch.', EPOCH_MAX),
    totalWeight: count('Sum of all weights.'),
    quorumWeight: count('Least weight that is a quorum.'),
    members: Type.Array(
      Type.Object({
        index: count('Name in certificates.', 1023),
        weight: count('Weight of its vote.'),
        blsPublicKey: fixedBytes(48, 'BLS12-381, compressed.'),
        peer: PeerId,
      }),
    ),
  },
  { title: 'CommitteeView' },
);
export type CommitteeView = Json<typeof CommitteeSchema>;

export const EvidenceSchema = Type.Object(
  {
    type: Type.Enum(['votes', 'proposals', 'chunks']),
    epoch: count('Whose committee the offender is in.', EPOCH_MAX),
    offender: count('Index in that committee.', 1023),
    view: View,
    sequence: Type.Optional(count('Of chunks, which belong to no view: the sequence that both have.')),
    first: Bytes,
    second: Bytes,
  },
  { title: 'Evidence', description: 'Two signed messages (serialized) that no honest validator signs both of.' },
);
export type EvidenceView = Json<typeof EvidenceSchema>;

export const EvidencePageSchema = Type.Object({ items: Type.Array(EvidenceSchema), next }, { title: 'EvidencePage' });
export type EvidencePage = Json<typeof EvidencePageSchema>;

export const AlertSchema = Type.Object(
  {
    rule: Type.String({ examples: ['no-finality'] }),
    severity: Type.Enum(['warning', 'critical']),
    message: Type.String({ description: 'What is wrong, in words.' }),
    threshold: Type.String({ examples: ['no block final for 10 s'] }),
    remedy: Type.String({ description: 'What an operator does about it.' }),
    sinceMs: TimeMs,
  },
  { title: 'Alert' },
);
export type Alert = Json<typeof AlertSchema>;

export const StatusSchema = Type.Object(
  {
    chain: Type.String({ examples: ['devnet'] }),
    genesisHash: Id,
    development: Type.Boolean(),
    faucet: Type.Boolean({ description: 'Whether POST /v1/faucet works here.' }),
    version: Type.String({ examples: ['0.1.0'] }),
    node: Type.Object({
      peer: PeerId,
      name: Type.String(),
      role: Type.Enum(['validator', 'full-node']),
      validator: orNull(count('Index in the committee.', 1023)),
    }),
    epoch: count('Epoch.', EPOCH_MAX),
    view: View,
    height: Type.Integer({ minimum: 0, description: 'Newest committed block: what reads answer from.' }),
    finalHeight: Type.Integer({ minimum: 0, description: 'Newest ordered block.' }),
    certifiedHeight: Type.Integer({ minimum: 0, description: 'Newest block with a state certificate.' }),
    headTimestampMs: TimeMs,
    syncing: Type.Boolean(),
    ready: Type.Boolean(),
    draining: Type.Optional(Type.Boolean({ description: 'It takes no transactions: an operator asked for that.' })),
    signing: orNull(SigningSchema),
    uptimeMs: DurationMs,
    peers: Type.Object({
      connected: count('Peers.'),
      validators: count('Validators among them.'),
      blocked: count('Blocked.'),
    }),
    mempool: Type.Object({ transactions: count('Waiting.'), bytes: count('Their size.') }),
    alerts: Type.Array(AlertSchema),
    account: Type.Optional(
      Type.Object(
        { account: Account, balance: Amount },
        { description: 'Pays for what the node sends by itself; missing when there is none (account.keyFile).' },
      ),
    ),
  },
  { title: 'Status' },
);
export type Status = Json<typeof StatusSchema>;

export const PeerSchema = Type.Object(
  {
    peer: PeerId,
    name: Type.Optional(Type.String()),
    validator: orNull(count('Index in the committee.', 1023)),
    role: Type.Enum(['validator', 'full-node', 'unknown']),
    connected: Type.Boolean(),
    address: orNull(Type.String()),
    failure: Type.Optional(
      Type.String({ description: 'Why the newest attempt to connect failed, of a peer that should be connected.' }),
    ),
    roundTripMs: orNull(DurationMs),
    bytesIn: count('Since start.'),
    bytesOut: count('Since start.'),
    framesDropped: count('Since start.'),
    queuedBytes: count('Now.'),
    votesSeen: Type.Optional(count('Of a validator, since start.')),
    votesLate: Type.Optional(count('Of these, that came after a quorum had formed without them.')),
    blocked: orNull(
      Type.Object({
        reason: Type.String({ examples: ['invalid-signature'] }),
        detail: Type.Optional(Type.String()),
        view: Type.Optional(View),
        atMs: TimeMs,
        by: Type.Enum(['node', 'operator']),
      }),
    ),
  },
  { title: 'Peer' },
);
export type Peer = Json<typeof PeerSchema>;

export const PeersSchema = Type.Object({ items: Type.Array(PeerSchema) }, { title: 'Peers' });
export type Peers = Json<typeof PeersSchema>;

export const HealthSchema = Type.Object(
  { status: Type.Enum(['ok']), uptimeMs: DurationMs },
  { title: 'Health', description: 'The process answers. Whether it can serve is /readyz.' },
);

export const ReadySchema = Type.Object(
  { ready: Type.Literal(true), height: Height, syncing: Type.Boolean() },
  { title: 'Ready' },
);

export const AdminResultSchema = Type.Object({ done: Type.Literal(true), peer: PeerId }, { title: 'AdminResult' });
