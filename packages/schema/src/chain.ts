/** Chain data as JSON; chain-json.ts converts. */
import {
  ACTIONS,
  ACTIONS_MAX,
  type ActionJson,
  type ActionKind,
  BLS_AGGREGATE_BYTES,
  BLS_UNCOMPRESSED_KEY_BYTES,
  CREDENTIAL_BYTES_MAX,
  ED25519_PUBLIC_KEY_BYTES,
  ED25519_SIGNATURE_BYTES,
  FAILURE_CODES,
  type FailureCode,
  HANDOVERS_MAX,
  MERKLE_PATH_MAX,
  PROOF_PREIMAGES_MAX,
  RECEIPT_OUTPUT_BYTES_MAX,
  UNIT_DIMENSIONS,
  type UnitDimension,
} from '@slipstream/types';
import { Type } from 'typebox';
import { actionSchema } from './action-schemas.ts';
import { NamedCall, type NamedCallJson, READ_CALL, type ReadCall } from './calls.ts';
import { HandoverSchema } from './handovers.ts';
import {
  Account,
  Amount,
  count,
  EPOCH_MAX,
  fixedBytes,
  Height,
  Id,
  type Json,
  orNull,
  TimeMs,
  View,
} from './scalars.ts';

const closed = { additionalProperties: false } as const;

const KINDS = Object.keys(ACTIONS) as ActionKind[];
const ACTION_SCHEMAS = KINDS.map((kind) => actionSchema(kind, kind === 'call' ? READ_CALL : {}));

type CallJson = Extract<ActionJson, { readonly kind: 'call' }>;
type ActionView = Exclude<ActionJson, CallJson> | (CallJson & ReadCall);

const ActionSchema = Type.Unsafe<ActionView>(Type.Union(ACTION_SCHEMAS, { title: 'Action' }));
const ActionRequestSchema = Type.Unsafe<ActionView | NamedCallJson>(
  Type.Union([...ACTION_SCHEMAS, NamedCall], { title: 'ActionRequest' }),
);

const Signature = fixedBytes(ED25519_SIGNATURE_BYTES, 'Over the transaction id.');
const SessionSignature = fixedBytes(
  ED25519_SIGNATURE_BYTES,
  "Over SHA-256 of a domain, the transaction id, and this authority's tag and credential (or grant id): see docs/integrators.",
);

const AuthSchema = Type.Union(
  [
    Type.Object(
      { scheme: Type.Literal('ed25519'), signature: Signature },
      { ...closed, description: "The sender's own signature." },
    ),
    Type.Object(
      {
        scheme: Type.Literal('session'),
        signature: SessionSignature,
        credential: Type.String({
          pattern: '^0x([0-9a-f]{2})*$',
          maxLength: 2 + 2 * CREDENTIAL_BYTES_MAX,
          description: 'Serialized credential: see /v1/sessions/{id}/credential.',
          examples: ['0x00ff'],
        }),
      },
      { ...closed, description: "A session key's signature, with the credential that lets it act for the sender." },
    ),
    Type.Object(
      {
        scheme: Type.Literal('session-hash'),
        signature: SessionSignature,
        sessionKey: fixedBytes(ED25519_PUBLIC_KEY_BYTES, 'Ed25519 public key.'),
        grantId: Id,
      },
      { ...closed, description: 'The same by name: this chain knows the session from an earlier transaction.' },
    ),
  ],
  { title: 'Authority' },
);

const transactionHead = {
  genesisHash: Id,
  sender: Account,
  expiryMs: TimeMs,
  salt: fixedBytes(8, 'Tells equal transactions apart.'),
  maxFee: Amount,
};

export const TransactionSchema = Type.Object(
  {
    ...transactionHead,
    actions: Type.Array(ActionSchema, { minItems: 1, maxItems: ACTIONS_MAX }),
    auth: AuthSchema,
  },
  { ...closed, title: 'Transaction' },
);
export type TransactionJson = Json<typeof TransactionSchema>;

/** As a client may submit it. */
export const TransactionRequestSchema = Type.Object(
  {
    ...transactionHead,
    actions: Type.Array(ActionRequestSchema, { minItems: 1, maxItems: ACTIONS_MAX }),
    auth: AuthSchema,
  },
  { ...closed, title: 'TransactionRequest' },
);
export type TransactionRequestJson = Json<typeof TransactionRequestSchema>;

/** Decimal strings. */
export const UnitsSchema = Type.Object(
  Object.fromEntries(UNIT_DIMENSIONS.map((dimension) => [dimension, Amount])) as Record<UnitDimension, typeof Amount>,
  { ...closed, title: 'Units' },
);
export type UnitsJson = Json<typeof UnitsSchema>;

const FAILURE_NAMES = Object.keys(FAILURE_CODES) as FailureCode[];

export const ReceiptSchema = Type.Object(
  {
    transactionId: Id,
    status: Type.Enum(['final', 'failed'], {
      description: 'Redundant with `outcome`: `final` when every action was carried out, else `failed`.',
    }),
    outcome: Type.Union([
      Type.Object({ status: Type.Literal('success') }, closed),
      Type.Object(
        {
          status: Type.Literal('failed'),
          code: Type.Enum(FAILURE_NAMES),
          action: count('Index of the action that failed.', 255),
        },
        closed,
      ),
    ]),
    output: Type.String({
      pattern: '^0x([0-9a-f]{2})*$',
      maxLength: 2 + 2 * RECEIPT_OUTPUT_BYTES_MAX,
      examples: ['0x'],
    }),
    fee: Amount,
    units: UnitsSchema,
    height: Height,
    index: count('Position among the receipts of its block.', 2 ** 32 - 1),
  },
  { ...closed, title: 'Receipt', description: 'What became of a transaction in a block.' },
);
export type ReceiptJson = Json<typeof ReceiptSchema>;

const Signers = Type.Array(count('Index in the committee.', 1023), { description: 'Ascending.', maxItems: 1024 });
const Aggregate = fixedBytes(BLS_AGGREGATE_BYTES, 'Aggregate BLS signature, compressed.');

export const CertificateSchema = Type.Object(
  {
    kind: Type.Enum(['notarize', 'nullify', 'finalize', 'certify']),
    epoch: count('Epoch of the committee.', EPOCH_MAX),
    view: View,
    height: Type.Optional(Height),
    blockId: Type.Optional(Id),
    stateDigest: Type.Optional(Id),
    signers: Signers,
    aggregate: Aggregate,
  },
  {
    ...closed,
    title: 'Certificate',
    description:
      "A quorum's signature: notarize and finalize name a block, certify also its height and state, nullify neither.",
  },
);
export type CertificateJson = Json<typeof CertificateSchema>;

const ChunkCertificate = Type.Object(
  { epoch: count('Epoch of the chunk, whose committee signed.', EPOCH_MAX), signers: Signers, aggregate: Aggregate },
  closed,
);

/** Hash of the record of the next epoch, once it is sealed. */
const NextRecord = fixedBytes(32, "Hash of the next epoch's record.");

export const BlockSchema = Type.Object(
  {
    id: Id,
    epoch: count('Epoch of the committee.', EPOCH_MAX),
    view: View,
    height: Height,
    parentId: Id,
    parentView: View,
    timestampMs: TimeMs,
    proposer: count("Index of the view's leader in the committee.", 1023),
    payload: Type.Array(Type.Object({ chunkId: Id, certificate: orNull(ChunkCertificate) }, closed)),
    payloadRoot: Id,
    next: Type.Optional(NextRecord),
  },
  { ...closed, title: 'Block', description: 'A block header: its payload is a list of chunk references.' },
);
export type BlockJson = Json<typeof BlockSchema>;

const DistilledRootsSchema = Type.Object(
  {
    batchesRoot: Id,
    batches: count('Leaves of the tree of distilled batches.', 2 ** 32 - 1),
    directoryRoot: Id,
    directorySize: count('Entries of the account directory.', 2 ** 32 - 1),
  },
  { ...closed, description: 'On a chain with an account directory: hashed with the receipts root.' },
);

export const PreimageSchema = Type.Object(
  {
    height: Height,
    blockId: Id,
    parentDigest: Id,
    batchChecksum: Id,
    stateRoot: Id,
    receiptsRoot: Id,
    transactionCount: count('Leaves of the receipts tree.', 2 ** 32 - 1),
    next: Type.Optional(NextRecord),
    distilled: Type.Optional(DistilledRootsSchema),
  },
  { ...closed, title: 'DigestPreimage', description: "What a block's state digest is the hash of." },
);
export type PreimageJson = Json<typeof PreimageSchema>;

export const ProofSchema = Type.Object(
  {
    receipt: ReceiptSchema,
    path: Type.Array(Id, { description: 'Sibling hashes from the leaf up.', maxItems: MERKLE_PATH_MAX }),
    preimages: Type.Array(PreimageSchema, {
      description: 'From the block of the receipt to the certified one.',
      maxItems: PROOF_PREIMAGES_MAX,
    }),
    certificate: CertificateSchema,
    ssz: Type.String({
      pattern: '^0x([0-9a-f]{2})*$',
      description: 'The same proof, serialized.',
      examples: ['0x00ff'],
    }),
    epochs: Type.Optional(
      Type.Array(HandoverSchema, {
        description: 'Of consecutive epochs: they lead to the committee of the certificate.',
        maxItems: HANDOVERS_MAX,
      }),
    ),
  },
  { ...closed, title: 'InclusionProof', description: 'That a quorum of the committee certified this receipt.' },
);
export type ProofJson = Json<typeof ProofSchema>;

export const DirectoryProofSchema = Type.Object(
  {
    index: count('Index of the entry.', 2 ** 32 - 1),
    account: Account,
    blsKey: fixedBytes(BLS_UNCOMPRESSED_KEY_BYTES, 'BLS public key, uncompressed.'),
    path: Type.Array(Id, { description: 'Sibling hashes from the leaf up.', maxItems: MERKLE_PATH_MAX }),
    preimages: Type.Array(PreimageSchema, {
      description: 'From the block whose directory it is to the certified one.',
      maxItems: PROOF_PREIMAGES_MAX,
    }),
    certificate: CertificateSchema,
    ssz: Type.String({
      pattern: '^0x([0-9a-f]{2})*$',
      description: 'The same, serialized: what a verifier takes.',
      examples: ['0x00'],
    }),
  },
  { ...closed, title: 'DirectoryProof', description: 'An entry of the account directory, certified by a quorum.' },
);
export type DirectoryProofJson = Json<typeof DirectoryProofSchema>;
