/** Actions of governance as JSON. */
import {
  ADMINISTRATORS_MAX,
  APPLICATION_NAME_BYTES_MAX,
  BLS_AGGREGATE_BYTES,
  BLS_PUBLIC_KEY_BYTES,
  BLS_UNCOMPRESSED_KEY_BYTES,
  COMMITTEE_WEIGHT_MAX,
  ED25519_PUBLIC_KEY_BYTES,
  EVIDENCE_TYPES,
  HANDOVER_BYTES_MAX,
  ISSUING_MEMBERS_MAX,
  NODE_ADDRESS_BYTES_MAX,
  NODE_NAME_BYTES_MAX,
  PROPOSAL_CHANGES_MAX,
  REPORTED_ARTIFACTS_MAX,
  STATEMENT_BYTES_MAX,
  TIME_NAMES,
  TRUSTED_ISSUERS_MAX,
  UNIT_DIMENSIONS,
  WINDOW_BLOCKS_MAX,
} from '@slipstream/types';
import { Type } from 'typebox';
import { Account, Amount, count, fixedBytes, Id, type Json, TimeMs, UINT32_MAX } from './scalars.ts';

/** Larger numbers would be cut to the width of their fields. */
const UINT16_MAX = 2 ** 16 - 1;

const closed = { additionalProperties: false } as const;

export const BlsKey = fixedBytes(BLS_PUBLIC_KEY_BYTES, 'BLS12-381 public key, compressed.');
const PeerKey = fixedBytes(ED25519_PUBLIC_KEY_BYTES, 'Network key.');
const KeySignature = fixedBytes(BLS_AGGREGATE_BYTES, 'Of the BLS key, compressed.');
const Address = Type.String({ maxLength: NODE_ADDRESS_BYTES_MAX, examples: ['validator.example.org:9000'] });
const Weight = Type.Integer({ minimum: 0, maximum: COMMITTEE_WEIGHT_MAX });
const perDimension = { minItems: UNIT_DIMENSIONS.length, maxItems: UNIT_DIMENSIONS.length };

export const FeeParametersSchema = Type.Object(
  {
    initialPrices: Type.Array(Amount, perDimension),
    minimumPrices: Type.Array(Amount, perDimension),
    targets: Type.Array(Amount, perDimension),
    limits: Type.Array(Amount, perDimension),
    windowBlocks: Type.Integer({ minimum: 1, maximum: WINDOW_BLOCKS_MAX }),
  },
  closed,
);

export const TimeParametersSchema = Type.Object(
  Object.fromEntries(TIME_NAMES.map((name) => [name, Type.Integer({ minimum: 0 })])) as {
    readonly [name in (typeof TIME_NAMES)[number]]: ReturnType<typeof Type.Integer>;
  },
  closed,
);

export const ChangeSchema = Type.Union(
  [
    Type.Object(
      {
        kind: Type.Literal('addValidator'),
        name: Type.String({ minLength: 1, maxLength: NODE_NAME_BYTES_MAX }),
        weight: Weight,
        blsPublicKey: BlsKey,
        peerKey: PeerKey,
        address: Address,
        operator: Account,
        feeAccount: Account,
        consent: KeySignature,
      },
      closed,
    ),
    Type.Object({ kind: Type.Literal('removeValidator'), validatorId: Id }, closed),
    Type.Object({ kind: Type.Literal('setWeight'), validatorId: Id, weight: Weight }, closed),
    Type.Object(
      {
        kind: Type.Literal('setParameters'),
        fees: FeeParametersSchema,
        times: TimeParametersSchema,
        leaderReputation: Type.Optional(Type.Boolean({ description: 'Missing: as it is.' })),
      },
      closed,
    ),
    Type.Object(
      {
        kind: Type.Literal('setTrustedIssuers'),
        trustedIssuers: Type.Array(BlsKey, { maxItems: TRUSTED_ISSUERS_MAX }),
      },
      closed,
    ),
    Type.Object({ kind: Type.Literal('setVersion'), version: count('Of the rules.', UINT16_MAX) }, closed),
    Type.Object(
      {
        kind: Type.Literal('upgradeApplication'),
        name: Type.String({ maxLength: APPLICATION_NAME_BYTES_MAX }),
        version: count('The next one of the application.', UINT32_MAX),
        hash: Id,
      },
      closed,
    ),
    Type.Object(
      {
        kind: Type.Literal('setGovernance'),
        governance: Type.Object(
          {
            administrators: Type.Array(Account, { maxItems: ADMINISTRATORS_MAX }),
            approvals: Type.Integer({ minimum: 0, maximum: ADMINISTRATORS_MAX }),
          },
          closed,
        ),
      },
      closed,
    ),
  ],
  { title: 'Change' },
);
export type ChangeView = Json<typeof ChangeSchema>;

export const Propose = Type.Object(
  {
    kind: Type.Literal('propose'),
    changes: Type.Array(ChangeSchema, { minItems: 1, maxItems: PROPOSAL_CHANGES_MAX }),
    notBeforeMs: TimeMs,
  },
  { ...closed, title: 'Propose', description: 'Proposes changes of the committee and the parameters.' },
);

export const Approve = Type.Object(
  { kind: Type.Literal('approve'), proposalId: Id },
  { ...closed, title: 'Approve', description: 'Agrees to a proposal.' },
);

export const Revoke = Type.Object(
  { kind: Type.Literal('revoke'), proposalId: Id },
  { ...closed, title: 'Revoke', description: 'Takes an approval back.' },
);

export const Ready = Type.Object(
  {
    kind: Type.Literal('ready'),
    blsPublicKey: BlsKey,
    peerKey: PeerKey,
    epoch: count('The current one.', UINT32_MAX),
    version: count('Newest version of the rules that the node knows.', UINT16_MAX),
    artifacts: Type.Array(Id, {
      maxItems: REPORTED_ARTIFACTS_MAX,
      description: 'Hashes of artifacts that the node has and an open proposal names.',
    }),
    signature: KeySignature,
  },
  { ...closed, title: 'Readiness', description: 'A node with these keys is synced and connected.' },
);

export const RotateKeys = Type.Object(
  {
    kind: Type.Literal('rotateKeys'),
    validatorId: Id,
    blsPublicKey: BlsKey,
    peerKey: PeerKey,
    address: Address,
    feeAccount: Account,
    consent: KeySignature,
  },
  { ...closed, title: 'RotateKeys', description: "Gives a validator's next keys, and its address and fee account." },
);

export const Leave = Type.Object(
  { kind: Type.Literal('leave'), validatorId: Id },
  { ...closed, title: 'Leave', description: 'Takes a validator out of the committee.' },
);

const Statement = Type.Object(
  {
    statement: Type.String({ pattern: '^0x([0-9a-f]{2})*$', maxLength: 2 + 2 * STATEMENT_BYTES_MAX }),
    signature: KeySignature,
  },
  closed,
);

export const AdvanceIssuer = Type.Object(
  {
    kind: Type.Literal('advanceIssuer'),
    issuer: Id,
    rootKey: BlsKey,
    root: Type.Optional(Type.Object({ expiryMs: TimeMs, signature: KeySignature }, closed)),
    members: Type.Array(
      Type.Object({ weight: count('Weight of its vote.', UINT16_MAX), blsPublicKey: BlsKey }, closed),
      {
        maxItems: ISSUING_MEMBERS_MAX,
      },
    ),
    handover: Type.String({ pattern: '^0x([0-9a-f]{2})*$', maxLength: 2 + 2 * HANDOVER_BYTES_MAX }),
  },
  { ...closed, title: 'AdvanceIssuer', description: "A trusted issuer's committee handed over to the next one." },
);

export const Register = Type.Object(
  {
    kind: Type.Literal('register'),
    blsKey: fixedBytes(BLS_UNCOMPRESSED_KEY_BYTES, 'BLS public key, uncompressed.'),
    proof: KeySignature,
  },
  { ...closed, title: 'Register', description: 'Enters the sender with a BLS key into the account directory.' },
);

export const ReportEquivocation = Type.Object(
  {
    kind: Type.Literal('reportEquivocation'),
    type: Type.Enum([...EVIDENCE_TYPES]),
    blsPublicKey: BlsKey,
    first: Statement,
    second: Statement,
  },
  { ...closed, title: 'ReportEquivocation', description: 'Two messages of one key that contradict each other.' },
);
