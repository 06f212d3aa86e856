/** Distilled batches, their rows and proofs as JSON; rows-json.ts converts. */
import { BATCH_ROWS_MAX, ROW_FAILURES, ROW_SKIPS } from '@slipstream/distilled';
import { HANDOVERS_MAX, PROOF_PREIMAGES_MAX } from '@slipstream/types';
import { Type } from 'typebox';
import { CertificateSchema, PreimageSchema } from './chain.ts';
import { HandoverSchema } from './handovers.ts';
import {
  Account,
  Amount,
  Cursor,
  count,
  EPOCH_MAX,
  Height,
  Id,
  type Json,
  PeerId,
  TimeMs,
  UINT32_MAX,
} from './scalars.ts';

const closed = { additionalProperties: false } as const;

const RowId = Type.String({
  ...Id,
  title: 'RowId',
  description: 'First 28 bytes of the batch id, then the position (4 bytes, big-endian).',
});
const Position = count('Of the row in its batch.', BATCH_ROWS_MAX - 1);

const transfer = {
  senderIndex: count('Of the sender in the account directory.', UINT32_MAX),
  recipientIndex: count('Of the recipient in the account directory.', UINT32_MAX),
  amount: Amount,
  sequence: count('Of the sender; each runs once.', UINT32_MAX),
  tag: count('For the recipient.', UINT32_MAX),
};

const RowOutcomeSchema = Type.Union(
  [
    Type.Object({ status: Type.Literal('success') }, closed),
    Type.Object({ status: Type.Literal('failed'), code: Type.Enum([...ROW_FAILURES]) }, closed),
    Type.Object({ status: Type.Literal('skipped'), reason: Type.Enum([...ROW_SKIPS]) }, closed),
  ],
  {
    title: 'RowOutcome',
    description: 'failed: the fee is charged and the sequence used, nothing else changed; skipped: nothing changed.',
  },
);

const ofRow = {
  ...transfer,
  straggler: Type.Optional(
    Type.Boolean({
      description:
        'Its sender signed it alone, with Ed25519. Missing: copies of the batch in its block differ in that.',
    }),
  ),
  outcome: RowOutcomeSchema,
  fee: Type.Optional(Amount),
};

export const RowReceiptSchema = Type.Object(
  {
    batchId: Id,
    position: Position,
    sender: Account,
    recipient: Account,
    ...ofRow,
    height: Height,
    blockId: Id,
    index: count('Position among the rows of its block.', UINT32_MAX),
  },
  { ...closed, title: 'RowReceipt', description: 'A row of a distilled batch, and what became of it in a block.' },
);
export type RowReceiptJson = Json<typeof RowReceiptSchema>;

const header = {
  epoch: count('Epoch of its chunk.', EPOCH_MAX),
  broker: PeerId,
  number: count("Of the broker's batches."),
  knownAt: Height,
  expiryMs: TimeMs,
  feeCap: Amount,
  rows: count('Rows of the batch.', BATCH_ROWS_MAX),
  root: Id,
};

const leaf = {
  rowFee: Amount,
  stragglerFee: Amount,
  firstIndex: count('Of its first row, among the rows of the block.', UINT32_MAX),
};

export const DistilledBatchSchema = Type.Object(
  {
    batchId: Id,
    height: Height,
    blockId: Id,
    index: count('Among the batches of its block that ran.', UINT32_MAX),
    ...header,
    ...leaf,
    charged: count('Rows whose fee was charged.', BATCH_ROWS_MAX),
    failed: count('Of these, rows without another effect.', BATCH_ROWS_MAX),
    skipped: count('Rows without effect.', BATCH_ROWS_MAX),
  },
  { title: 'DistilledBatch', description: 'A distilled batch that ran: its header, what rows paid, and outcomes.' },
);
export type DistilledBatch = Json<typeof DistilledBatchSchema>;

const next = Type.Union([Cursor, Type.Null()], { description: 'For the next page; null on the last.' });

export const DistilledBatchPageSchema = Type.Object(
  { items: Type.Array(DistilledBatchSchema), next },
  { title: 'DistilledBatchPage' },
);
export type DistilledBatchPage = Json<typeof DistilledBatchPageSchema>;

const DistilledRowSchema = Type.Object({ id: RowId, position: Position, ...ofRow }, { title: 'DistilledRow' });
export type DistilledRow = Json<typeof DistilledRowSchema>;

export const DistilledRowPageSchema = Type.Object(
  { items: Type.Array(DistilledRowSchema), next },
  { title: 'DistilledRowPage' },
);
export type DistilledRowPage = Json<typeof DistilledRowPageSchema>;

export const RowProofSchema = Type.Object(
  {
    rowId: RowId,
    batchId: Id,
    position: Position,
    header: Type.Object(header, closed),
    ...leaf,
    row: Type.Object(transfer, closed),
    outcome: RowOutcomeSchema,
    preimages: Type.Array(PreimageSchema, {
      description: 'From the block of the batch to the certified one.',
      maxItems: PROOF_PREIMAGES_MAX,
    }),
    certificate: CertificateSchema,
    ssz: Type.String({
      pattern: '^0x([0-9a-f]{2})*$',
      description: 'The same, serialized: what a verifier takes, with the row id that it asks about.',
      examples: ['0x00'],
    }),
    epochs: Type.Optional(
      Type.Array(HandoverSchema, {
        description: 'Of consecutive epochs: they lead to the committee of the certificate.',
        maxItems: HANDOVERS_MAX,
      }),
    ),
  },
  { ...closed, title: 'RowProof', description: 'That a quorum of the committee certified what became of this row.' },
);
export type RowProofJson = Json<typeof RowProofSchema>;
