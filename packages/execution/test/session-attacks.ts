/** Every way in which a session's authority can be wrong by its bytes alone, and what each must be called. */
import { utf8 } from '@slipstream/primitives';
import {
  type Action,
  type AuthorityFault,
  type Credential,
  type CredentialProof,
  committeeMessage,
  credentialProofCodec,
  type DecodedTransaction,
  grantOutput,
  makeCredential,
  type Transaction,
} from '@slipstream/types';
import {
  bodyOf,
  byCredential,
  byHash,
  credentialOf,
  encoded,
  person,
  sessionOf,
  signed,
  signedBySession,
  type TestChain,
  type TestSession,
  testChain,
  type UnsignedSession,
} from './session-world.ts';

export interface AttackWorld {
  readonly identity: TestChain;
  readonly target: TestChain;
  readonly session: TestSession;
  readonly credential: Credential;
}

const alice = person('alice');
export const WRITE: Action = { kind: 'setData', name: 'n', value: utf8('v') };

export async function attackWorld(): Promise<AttackWorld> {
  const identity = testChain('identity', { balances: [alice.account] });
  const target = testChain('target', { trusted: [identity.rootKey] });
  const session = sessionOf(identity, target, alice);
  return { identity, target, session, credential: await credentialOf(identity, session, alice) };
}

export interface Attack {
  readonly name: string;
  readonly fault: AuthorityFault;
  readonly transaction: DecodedTransaction;
}

export async function attacksOn(world: AttackWorld): Promise<readonly Attack[]> {
  const { identity, target, session, credential } = world;
  const use = (bent: Credential, form: { actions?: readonly Action[]; session?: TestSession } = {}) =>
    byCredential(target, form.session ?? session, bent, { actions: form.actions ?? [WRITE] });
  const proof = proofOf(credential);
  const bend = (change: Partial<CredentialProof>): Credential => ({
    ...credential,
    proof: credentialProofCodec.encode({ ...proof, ...change }),
  });
  const attack = (name: string, fault: AuthorityFault, transaction: DecodedTransaction): Attack => ({
    name,
    fault,
    transaction,
  });
  const flipped = (bytes: Uint8Array) => bytes.map((byte, i) => (i === 4 ? byte ^ 1 : byte));
  const [preimage] = proof.preimages as [CredentialProof['preimages'][number]];
  return [
    attack('an action out of scope', 'session-out-of-scope', use(credential, { actions: [session.action] })),
    attack('an untrusted issuer', 'session-unknown-issuer', await byUntrustedIssuer(world)),
    attack('a root key that is not the issuer’s', 'session-unknown-issuer', use({ ...credential, root: undefined })),
    attack('a grant for another chain', 'session-foreign-chain', await forAnotherChain(world)),
    attack('a path with one bit changed', 'session-broken-path', use(bend({ path: proof.path.map(flipped) }))),
    attack('a path that ends early', 'session-broken-path', use(bend({ path: proof.path.slice(1) }))),
    attack(
      'a receipts root of the attacker’s own',
      'session-broken-path',
      use(bend({ preimages: [{ ...preimage, transactionCount: 1 }], path: [] })),
    ),
    attack('no digests at all', 'session-broken-path', use(bend({ preimages: [] }))),
    attack(
      'a proof cut short',
      'session-truncated-proof',
      use({ ...credential, proof: credential.proof.subarray(0, credential.proof.length - 1) }),
    ),
    attack('an empty proof', 'session-truncated-proof', use({ ...credential, proof: new Uint8Array(0) })),
    attack(
      'a committee without the root’s signature',
      'session-truncated-proof',
      use(bend({ committeeSignature: undefined })),
    ),
    attack(
      'a root’s signature without its expiry',
      'session-truncated-proof',
      use({ ...credential, root: { key: identity.rootKey, expiryMs: 0 } }),
    ),
    attack('a committee of the attacker’s keys', 'session-wrong-committee', await replacedCommittee(world)),
    attack(
      'a committee certificate made to last longer',
      'session-wrong-committee',
      use({ ...credential, root: { key: identity.rootKey, expiryMs: identity.committeeCertificate.expiryMs + 1 } }),
    ),
    attack('no committee', 'session-wrong-committee', use(bend({ members: [] }))),
    attack('a state that the committee did not sign', 'session-bad-certificate', await unsignedState(world)),
    attack('too few signers', 'session-bad-certificate', await tooFewSigners(world)),
    attack('a grant with a higher limit than was certified', 'session-replayed-grant', raised(world)),
    attack('the proof of another grant', 'session-replayed-grant', await anothersProof(world)),
    attack(
      'the account of somebody else',
      'session-wrong-account',
      use(credential, { session: { ...session, account: sessionOf(identity, target, person('bob')).account } }),
    ),
    attack(
      'the signature of another key',
      'bad-signature',
      use(credential, { session: { ...session, key: person('eve') } }),
    ),
    ...(await rewrappings(world)).map(({ name, bent }) => attack(name, 'bad-signature', bent)),
  ];
}

export function proofOf(credential: Credential): CredentialProof {
  const decoded = credentialProofCodec.decode(credential.proof);
  if (!decoded.ok) throw new Error(decoded.error.message);
  return decoded.value;
}

async function byUntrustedIssuer({ target }: AttackWorld): Promise<DecodedTransaction> {
  const untrusted = testChain('stranger', { balances: [alice.account] });
  const session = sessionOf(untrusted, target, alice);
  return byCredential(target, session, await credentialOf(untrusted, session, alice), { actions: [WRITE] });
}

async function forAnotherChain({ identity, target }: AttackWorld): Promise<DecodedTransaction> {
  const session = sessionOf(identity, testChain('elsewhere'), alice);
  return byCredential(target, session, await credentialOf(identity, session, alice), { actions: [WRITE] });
}

/** The attacker certifies a state of his own with keys of his own: everything fits, but for the root's signature. */
async function replacedCommittee({ identity, target }: AttackWorld): Promise<DecodedTransaction> {
  const forger = testChain('forger', { balances: [alice.account] });
  const posing = { ...forger, genesisHash: identity.genesisHash, rootKey: identity.rootKey };
  const session = sessionOf(posing, target, alice, { key: 'forged' });
  const granted = signed(forger, alice, { ...session.action });
  const executed = forger.execute([granted]);
  const [receipt] = executed.receipts as [(typeof executed.receipts)[number]];
  const made = await forger.proveReceipt({ ...receipt, output: outputOf(session) }, identity.genesisHash);
  const { expiryMs } = identity.committeeCertificate;
  const { members } = forger.committeeCertificate;
  const certificate = {
    genesisHash: identity.genesisHash,
    rootKey: identity.rootKey,
    expiryMs,
    members,
    signature: await forger.aggregate(committeeMessage(identity.genesisHash, members, expiryMs), [0]),
  };
  const credential = makeCredential(session.grant, made, certificate);
  if (!credential.ok) throw new Error(credential.error);
  return byCredential(target, session, credential.value, { actions: [WRITE] });
}

const outputOf = ({ grantId }: TestSession): Uint8Array => grantOutput(grantId);

/** The true committee certificate, over a state that the forger alone has signed. */
async function unsignedState({ identity, target }: AttackWorld): Promise<DecodedTransaction> {
  const forger = testChain('forger', { balances: [alice.account] });
  const posing = { ...forger, genesisHash: identity.genesisHash, rootKey: identity.rootKey };
  const session = sessionOf(posing, target, alice, { key: 'forged' });
  const executed = forger.execute([signed(forger, alice, session.action)]);
  const [receipt] = executed.receipts as [(typeof executed.receipts)[number]];
  const made = await forger.proveReceipt({ ...receipt, output: outputOf(session) }, identity.genesisHash);
  const credential = makeCredential(session.grant, made, identity.committeeCertificate);
  if (!credential.ok) throw new Error(credential.error);
  return byCredential(target, session, credential.value, { actions: [WRITE] });
}

async function tooFewSigners({ identity, target }: AttackWorld): Promise<DecodedTransaction> {
  const session = sessionOf(identity, target, alice, { key: 'few' });
  const executed = identity.execute([signed(identity, alice, session.action)]);
  const made = makeCredential(session.grant, await identity.prove(executed, 0, [1, 2]), identity.committeeCertificate);
  if (!made.ok) throw new Error(made.error);
  return byCredential(target, session, made.value, { actions: [WRITE] });
}

function raised({ target, session, credential }: AttackWorld): DecodedTransaction {
  const bent = { ...credential, grant: { ...credential.grant, spendLimit: credential.grant.spendLimit + 1n } };
  return byCredential(target, session, bent, { actions: [WRITE] });
}

async function anothersProof({ identity, target, credential }: AttackWorld): Promise<DecodedTransaction> {
  const other = sessionOf(identity, target, alice, { key: 'never granted' });
  const bent = { ...credential, grant: other.grant };
  const body = bodyOf(target, { sender: other.account, actions: [WRITE] });
  return signedBySession(body, { scheme: 'session', credential: bent }, other.key.secret);
}

export interface Rewrapping {
  readonly name: string;
  readonly honest: DecodedTransaction;
  /** Its body and signature with another authority of the same session key. */
  readonly bent: DecodedTransaction;
  /** That authority as the session key would sign it: sound by its bytes, and of another fee or fate. */
  readonly resigned: DecodedTransaction;
}

export async function rewrappings(world: AttackWorld): Promise<readonly Rewrapping[]> {
  const { identity, target, session, credential } = world;
  const named = byHash(target, session, { actions: [WRITE] });
  const inline = byCredential(target, session, credential, { actions: [WRITE] });
  const sessionKey = session.key.account.bytes;
  const { grantId } = session;
  const unknownId = sessionOf(identity, target, alice, { key: 'of the same user' }).grantId;
  const { provenTwice, one, other } = await twoProofs(world);
  const proven = byCredential(target, provenTwice, one, { actions: [WRITE] });
  const all: readonly [string, DecodedTransaction, TestSession, UnsignedSession][] = [
    ['a credential for the grant’s id', named, session, { scheme: 'session', credential }],
    ['the grant’s id for a credential', inline, session, { scheme: 'session-hash', sessionKey, grantId }],
    ['the id of another grant', named, session, { scheme: 'session-hash', sessionKey, grantId: unknownId }],
    ['a credential by other signers', proven, provenTwice, { scheme: 'session', credential: other }],
  ];
  return all.map(([name, honest, { key }, auth]) => {
    const { body } = honest.transaction as Transaction;
    return { name, honest, bent: rewrapped(honest, auth), resigned: signedBySession(body, auth, key.secret) };
  });
}

/** One grant, certified by two quorums of one committee. */
async function twoProofs({ identity, target }: AttackWorld) {
  const provenTwice = sessionOf(identity, target, alice, { key: 'proven twice' });
  const executed = identity.execute([signed(identity, alice, provenTwice.action)]);
  const provenBy = async (signers: readonly number[]) => {
    const proof = await identity.prove(executed, 0, signers);
    const made = makeCredential(provenTwice.grant, proof, identity.committeeCertificate);
    if (!made.ok) throw new Error(made.error);
    return made.value;
  };
  return { provenTwice, one: await provenBy([0, 1, 2]), other: await provenBy([1, 2, 3]) };
}

/** What a producer can make of a session's transaction: the same body and signature, with another authority around them. */
export function rewrapped({ transaction }: DecodedTransaction, auth: UnsignedSession): DecodedTransaction {
  const { body, auth: honest } = transaction as Transaction;
  return encoded({ body, auth: { ...auth, signature: honest.signature } });
}
