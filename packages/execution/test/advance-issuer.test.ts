/** Sessions of an issuer whose committee changes. */
import { createAuthorityChecks } from '@slipstream/crypto';
import { createBlsSigner, generateBlsSecretKey } from '@slipstream/crypto/native';
import { sha256, utf8 } from '@slipstream/primitives';
import {
  type Action,
  type AdvanceIssuer,
  asId,
  type Credential,
  certifiedMembers,
  committeeMessage,
  committeeOfRecord,
  createCredentialMemory,
  GENESIS_EPOCH,
  grantOutput,
  type Handover,
  height,
  makeCredential,
  merkleRoot,
  NO_RECORD,
  NO_UNITS,
  type PreparedTransaction,
  type Receipt,
  receiptCodec,
  type TransactionId,
  uncertifiedMembersIn,
  unitsOf,
} from '@slipstream/types';
import { beforeEach, expect, it } from 'vitest';
import { epochChain } from '../../crypto/test/epoch-chain.ts';
import { sessionChainOf } from '../../types/test/session-chain.ts';
import {
  byCredential,
  HOUR_MS,
  NOW_MS,
  person,
  prepared,
  sessionOf,
  signed,
  type TestChain,
  testChain,
} from './session-world.ts';

const DAY_MS = 24 * HOUR_MS;
const CERTIFIED_MS = 60 * DAY_MS;
const GRANT_END_MS = NOW_MS + 60 * DAY_MS;
const root = createBlsSigner(generateBlsSecretKey(sha256(utf8('issuer root'))));
const issuer = await epochChain('issuer', { members: 4, epochs: 3, rotations: (epoch) => (epoch === 1 ? 0 : 4) });
const [alice, sender] = [person('alice'), person('anyone')];
const WRITE: Action = { kind: 'setData', name: 'n', value: utf8('v') };
const membersOf = (epoch: number) => certifiedMembers(committeeOfRecord(issuer.records[epoch] as never));
const rootOf = (epoch: number, expiryMs = NOW_MS + CERTIFIED_MS) => ({
  expiryMs,
  signature: root.signCompressed(committeeMessage(issuer.genesisHash, membersOf(epoch), expiryMs)),
});

let target: TestChain;
beforeEach(() => {
  target = testChain('target', { trusted: [root.publicKey], balances: [sender.account] });
});

function advanceTo(epoch: number, changed: Partial<AdvanceIssuer> = {}): AdvanceIssuer {
  return {
    kind: 'advanceIssuer',
    issuer: issuer.genesisHash,
    rootKey: root.publicKey,
    root: undefined,
    members: membersOf(epoch - 1),
    handover: issuer.handovers[epoch - 1] as Handover,
    ...changed,
  };
}

/** Certified by the committee of this epoch. */
async function credentialOf(epoch: number, isCertified: boolean, name = `session ${epoch}`): Promise<Credential> {
  const chain = { genesisHash: issuer.genesisHash, rootKey: root.publicKey } as TestChain;
  const session = sessionOf(chain, target, alice, { key: name, expiryMs: GRANT_END_MS });
  const at = issuer.preimage(epoch, NO_RECORD);
  const receipt: Receipt = {
    transactionId: asId<TransactionId>(sha256(utf8(name))),
    outcome: { status: 'success' },
    output: grantOutput(session.grantId),
    fee: 0n,
    units: NO_UNITS,
    height: height(at.height),
    index: 0,
  };
  const preimage = { ...at, receiptsRoot: merkleRoot([receiptCodec.encode(receipt)]), transactionCount: 1 };
  const inclusion = { receipt, path: [], preimages: [preimage], certificate: await issuer.certify(epoch, preimage) };
  const proof = isCertified ? rootOf(epoch) : { expiryMs: 0, signature: undefined };
  const made = makeCredential(session.grant, inclusion, {
    rootKey: root.publicKey,
    members: membersOf(epoch),
    ...proof,
  });
  if (!made.ok) throw new Error(made.error);
  return made.value;
}

async function useOf(epoch: number, isCertified: boolean, nowMs = NOW_MS): Promise<string> {
  const credential = await credentialOf(epoch, isCertified);
  const chain = { genesisHash: issuer.genesisHash, rootKey: root.publicKey } as TestChain;
  const session = sessionOf(chain, target, alice, { key: `session ${epoch}`, expiryMs: GRANT_END_MS });
  const transaction = byCredential(target, session, credential, { actions: [WRITE], expiryMs: nowMs + 30_000 });
  expect(await verdictOf(transaction)).toBeUndefined();
  return outcome(prepared(transaction), nowMs);
}

function verdictOf({ transaction }: Pick<PreparedTransaction, 'transaction'>) {
  const checks = createAuthorityChecks(target.verifier, sessionChainOf(target), createCredentialMemory());
  return checks.check(transaction as NonNullable<typeof transaction>, 'chunk', GENESIS_EPOCH);
}

function outcome(transaction: PreparedTransaction, nowMs = NOW_MS): string {
  const { receipts, skipped } = target.execute([transaction], nowMs);
  const [receipt] = receipts;
  if (receipt === undefined) return `skipped: ${skipped[0]?.reason}`;
  return receipt.outcome.status === 'success' ? 'success' : receipt.outcome.code;
}

async function advance(action: AdvanceIssuer, nowMs = NOW_MS): Promise<string> {
  const transaction = signed(target, sender, action);
  expect(await verdictOf(transaction)).toBeUndefined();
  return outcome(transaction, nowMs);
}

it('a credential of the next committee holds after its handover, which begins at the root certificate', async () => {
  expect(await useOf(1, false)).toBe('skipped: session-committee-expired');
  expect(await advance(advanceTo(1))).toBe('issuer-unproven');
  expect(await advance(advanceTo(1, { root: rootOf(0) }))).toBe('success');
  expect(await useOf(1, false)).toBe('success');
  expect(await useOf(0, true)).toBe('success');
});

it('a credential pays for the keys of a committee that no root key certified', async () => {
  const computeOf = async (isCertified: boolean) => {
    const credential = await credentialOf(1, isCertified);
    const chain = { genesisHash: issuer.genesisHash, rootKey: root.publicKey } as TestChain;
    const session = sessionOf(chain, target, alice, { key: 'session 1', expiryMs: GRANT_END_MS });
    const { transaction } = byCredential(target, session, credential, { actions: [WRITE], expiryMs: NOW_MS + 30_000 });
    return unitsOf(transaction, 0)[1] as number;
  };
  expect((await computeOf(false)) - (await computeOf(true))).toBe(50 * membersOf(1).length);
  const { root: issuerRoot } = await credentialOf(1, false);
  for (let bytes = 0; bytes < 30; bytes++) {
    expect(uncertifiedMembersIn({ root: issuerRoot, proof: new Uint8Array(bytes).fill(0xff) })).toBe(0);
  }
});

it('goes on from the committee that the state knows, over epochs that changed parameters alone', async () => {
  expect(await advance(advanceTo(1, { root: rootOf(0) }))).toBe('success');
  expect(await advance(advanceTo(3))).toBe('success');
  expect(await advance(advanceTo(1, { root: rootOf(0) }))).toBe('issuer-stale');
  expect(await advance(advanceTo(2))).toBe('issuer-stale');
  expect(await useOf(3, false)).toBe('success');
});

it('a replaced committee holds for 30 days, though the root certificate lasts longer', async () => {
  expect(await useOf(0, true, NOW_MS + 59 * DAY_MS)).toBe('success');
  expect(await advance(advanceTo(1, { root: rootOf(0) }))).toBe('success');
  expect(await useOf(0, true, NOW_MS + 30 * DAY_MS - 1)).toBe('success');
  expect(await useOf(0, true, NOW_MS + 30 * DAY_MS)).toBe('skipped: session-committee-expired');
  expect(await useOf(1, false, NOW_MS + 59 * DAY_MS)).toBe('success');
});

it('fails for an untrusted root key, and with an expired certificate of the root', async () => {
  const other = createBlsSigner(generateBlsSecretKey(sha256(utf8('other root'))));
  const signature = other.signCompressed(committeeMessage(issuer.genesisHash, membersOf(0), NOW_MS + 1));
  const untrusted = { rootKey: other.publicKey, root: { expiryMs: NOW_MS + 1, signature } };
  expect(await advance(advanceTo(1, untrusted))).toBe('issuer-unknown');
  expect(await advance(advanceTo(1, { root: rootOf(0, NOW_MS) }))).toBe('issuer-unproven');
});

it.each<[string, () => Partial<AdvanceIssuer>]>([
  ['the members of another epoch', () => ({ members: membersOf(1) })],
  ['the handover of another epoch', () => ({ handover: issuer.handovers[1] as Handover })],
  ['another chain', () => ({ issuer: target.genesisHash })],
  ['a certificate of the root for other members', () => ({ root: rootOf(1) })],
  ['a certificate of another key', () => ({ root: rootOf(0), rootKey: target.rootKey })],
  [
    'a signature of less than a quorum',
    () => {
      const { certificate, ...rest } = issuer.handovers[0] as Handover;
      return { handover: { ...rest, certificate: { ...certificate, signers: [0, 1] } } };
    },
  ],
  [
    'a signature of others',
    () => {
      const { certificate, ...rest } = issuer.handovers[0] as Handover;
      return { handover: { ...rest, certificate: { ...certificate, signers: [1, 2, 3] } } };
    },
  ],
])('%s is a bad handover, by its bytes alone', async (_, changed) => {
  expect(await verdictOf(signed(target, sender, advanceTo(1, changed())))).toBe('bad-handover');
});
