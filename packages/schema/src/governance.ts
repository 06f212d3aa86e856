/** Changes of proposals as JSON. */
import {
  ADMINISTRATORS_MAX,
  APPLICATION_NAME_BYTES_MAX,
  BLS_AGGREGATE_BYTES,
  BLS_PUBLIC_KEY_BYTES,
  COMMITTEE_WEIGHT_MAX,
  ED25519_PUBLIC_KEY_BYTES,
  NODE_ADDRESS_BYTES_MAX,
  NODE_NAME_BYTES_MAX,
  TIME_NAMES,
  TRUSTED_ISSUERS_MAX,
  UNIT_DIMENSIONS,
  WINDOW_BLOCKS_MAX,
} from '@slipstream/types';
import { Type } from 'typebox';
import { Account, Amount, count, fixedBytes, Id, type Json, UINT16_MAX, UINT32_MAX } from './scalars.ts';

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
