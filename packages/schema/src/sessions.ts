/** docs/decisions/0020 */
import { ANCHOR_DEVICES_MAX, CREDENTIAL_BYTES_MAX, SERVICE_BYTES_MAX } from '@slipstream/types';
import { Type } from 'typebox';
import { Account, Amount, fixedBytes, Height, Id, type Json, TimeMs } from './scalars.ts';
import { Scope } from './scope.ts';
import { StateProofSchema } from './state-proofs.ts';

const SessionKey = fixedBytes(32, 'Ed25519 public key of the session.');

export const SessionViewSchema = Type.Object(
  {
    id: Id,
    status: Type.Enum(['active', 'expired', 'revoked'], { description: 'On this chain, by the newest block.' }),
    account: Account,
    owner: Account,
    sessionKey: SessionKey,
    scope: Scope,
    spendLimit: Amount,
    spent: Amount,
    expiryMs: TimeMs,
    actsHere: Type.Boolean({ description: 'Whether this chain is its target; if not, it issued the credential.' }),
    transactionId: Id,
    height: Height,
    proof: Type.Optional(StateProofSchema),
  },
  {
    title: 'SessionView',
    description:
      'What the state of this chain knows of a session. `account` is who it acts for, `owner` who may revoke it here, ' +
      '`transactionId` the transaction that made it known.',
  },
);
export type SessionView = Json<typeof SessionViewSchema>;

export const CredentialSchema = Type.Object(
  {
    id: Id,
    grant: Type.Object({
      issuer: Id,
      target: Id,
      pseudonym: fixedBytes(32, 'Who acts, as the service knows him.'),
      service: Type.String({ minLength: 1, maxLength: SERVICE_BYTES_MAX }),
      sessionKey: SessionKey,
      scope: Scope,
      spendLimit: Amount,
      expiryMs: TimeMs,
    }),
    account: Account,
    rootKey: Type.Union([fixedBytes(48, 'Root key that certifies the issuing committee.'), Type.Null()]),
    committeeExpiryMs: Type.Union([TimeMs, Type.Null()]),
    ssz: Type.String({
      pattern: '^0x([0-9a-f]{2})*$',
      maxLength: 2 + 2 * CREDENTIAL_BYTES_MAX,
      description: 'The credential, serialized: what a session transaction carries.',
      examples: ['0x00ff'],
    }),
  },
  { title: 'Credential', description: 'A grant with the proof that the committee of this chain certified it.' },
);
export type CredentialJson = Json<typeof CredentialSchema>;

export const IdentitySchema = Type.Object(
  {
    anchor: Account,
    devices: Type.Array(Account, { minItems: 1, maxItems: ANCHOR_DEVICES_MAX }),
    height: Height,
  },
  { title: 'Identity', description: 'The keys that speak for an anchor; without any entry, the anchor alone.' },
);
export type IdentityView = Json<typeof IdentitySchema>;
