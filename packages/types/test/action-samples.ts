/** Arbitrary actions of each kind. */
import { type PeerKey, toHex } from '@slipstream/primitives';
import fc from 'fast-check';
import { epochChain } from '../../crypto/test/epoch-chain.ts';
import {
  type AccountKey,
  type Action,
  asId,
  type Change,
  EVIDENCE_TYPES,
  ed25519Account,
  type GenesisHash,
  GRANTABLE_ACTIONS,
  type GrantableAction,
  type GrantId,
  type Handover,
  type ProposalId,
  pseudonymAccount,
  scopeOf,
  type ValidatorId,
} from '../src/index.ts';

const [handover] = (await epochChain('definitions', { members: 4, epochs: 1 })).handovers as [Handover];

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const upTo = (maxLength: number) => fc.uint8Array({ maxLength, size: 'max' });
const id = bytes(32);
const amount = fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.constantFrom(0n, 2n ** 32n, 2n ** 64n - 1n));
const purse = (key: Uint8Array): AccountKey => ({ scheme: 'purse', bytes: key });
const account = id.chain((key) => fc.constantFrom(ed25519Account(key), pseudonymAccount(key), purse(key)));
const timeMs = fc.maxSafeNat();
const textOf = (bytesMax: number) =>
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: bytesMax })
    .filter((text) => text.isWellFormed() && !text.startsWith('\ufeff') && Buffer.byteLength(text) <= bytesMax);
const peerKey = id.map((key) => toHex(key) as PeerKey);
const validatorId = id.map((key) => key as ValidatorId);
const signature = bytes(96);
const blsPublicKey = bytes(48);
const statement = fc.record({ statement: upTo(256), signature });
const scope = fc
  .subarray(Object.keys(GRANTABLE_ACTIONS) as GrantableAction[], { minLength: 1 })
  .map((names) => scopeOf(names));
const address = fc
  .tuple(fc.constantFrom('a.example.org', '[::1]', '10.0.0.1', 'x'.repeat(200)), fc.integer({ min: 1, max: 65_535 }))
  .map(([host, port]) => `${host}:${port}`);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('removeValidator' as const), validatorId }),
  fc.record({ kind: fc.constant('setWeight' as const), validatorId, weight: fc.nat(10_000) }),
  fc.record({ kind: fc.constant('setVersion' as const), version: fc.nat(65_535) }),
  fc.record({
    kind: fc.constant('setTrustedIssuers' as const),
    trustedIssuers: fc.array(blsPublicKey, { maxLength: 3 }),
  }),
);

type Fields<K extends Action['kind']> = {
  readonly [N in keyof Omit<Extract<Action, { kind: K }>, 'kind'>]: fc.Arbitrary<Extract<Action, { kind: K }>[N]>;
};

function of<K extends Action['kind']>(kind: K, fields: Fields<K>): fc.Arbitrary<Extract<Action, { kind: K }>> {
  return fc.record({ kind: fc.constant(kind), ...fields } as never) as never;
}

const device = { anchor: account, device: account };
const approval = { proposalId: id.map((key) => asId<ProposalId>(key)) };

export const ACTION_SAMPLES = {
  transfer: of('transfer', { to: account, amount }),
  transferMany: of('transferMany', {
    outputs: fc.array(fc.record({ to: account, amount }), { minLength: 1, maxLength: 100 }),
  }),
  setData: of('setData', { name: textOf(28), value: upTo(4096) }),
  addDevice: of('addDevice', device),
  removeDevice: of('removeDevice', device),
  grantSession: of('grantSession', {
    anchor: account,
    target: id.map((key) => asId<GenesisHash>(key)),
    service: textOf(64),
    serviceSalt: id,
    sessionKey: id,
    scope,
    spendLimit: amount,
    expiryMs: timeMs,
  }),
  revokeSession: of('revokeSession', { owner: account, grantId: id.map((key) => asId<GrantId>(key)) }),
  propose: of('propose', { changes: fc.array(change, { minLength: 1, maxLength: 8 }), notBeforeMs: timeMs }),
  approve: of('approve', approval),
  revoke: of('revoke', approval),
  ready: of('ready', {
    blsPublicKey,
    peerKey,
    epoch: fc.nat(2 ** 32 - 1),
    version: fc.nat(65_535),
    artifacts: fc.array(id, { maxLength: 8 }),
    signature,
  }),
  rotateKeys: of('rotateKeys', {
    validatorId,
    blsPublicKey,
    peerKey,
    address,
    feeAccount: account,
    consent: signature,
  }),
  leave: of('leave', { validatorId }),
  reportEquivocation: of('reportEquivocation', {
    type: fc.constantFrom(...EVIDENCE_TYPES),
    blsPublicKey,
    first: statement,
    second: statement,
  }),
  advanceIssuer: of('advanceIssuer', {
    issuer: id.map((key) => asId<GenesisHash>(key)),
    rootKey: blsPublicKey,
    root: fc.option(fc.record({ expiryMs: fc.integer({ min: 1 }), signature }), { nil: undefined }),
    members: fc.array(fc.record({ weight: fc.nat(65_535), blsPublicKey }), { maxLength: 20 }),
    handover: fc.constant(handover),
  }),
  register: of('register', { blsKey: bytes(96), proof: signature }),
  call: of('call', {
    application: fc.stringMatching(/^[a-z][a-z0-9-]{0,31}$/),
    action: fc.nat(65_535),
    input: upTo(7168),
  }),
};

/** Bytes that differ in some places, or in their length. */
export const damage = fc.oneof(
  fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }).map((changes) => (from: Uint8Array) => {
    const damaged = from.slice();
    for (const [at, byte] of changes) damaged[at % damaged.length] = byte;
    return damaged;
  }),
  fc.nat(80).map((at) => (from: Uint8Array) => {
    const damaged = from.slice();
    damaged[at % damaged.length] = ((damaged[at % damaged.length] as number) + 1) % 256;
    return damaged;
  }),
  fc.nat().map((length) => (from: Uint8Array) => from.slice(0, length % from.length)),
  bytes(3).map((more) => (from: Uint8Array) => Uint8Array.from([...from, ...more])),
);
