/**
 * Checks a session transaction by its bytes and the genesis, cheapest first.
 *
 *   target chain, issuer, account, scope --> proof decodes --> receipt grants it --> path --> digests --> quorum --> signatures
 *
 * Two BLS signatures remain (root over committee, committee over state; only the second where the target's state knows the committee); the caller has checked the session key's own (crypto, "authority
 * checks"). Time, revocation and spending are the executor's. So every node reaches the same verdict, whatever its caches hold.
 */
import { bytesEqual, fail, ok, type Result } from '@slipstream/primitives';
import type { AccountKey } from '../account.ts';
import { type Committee, certifiedCommittee } from '../committee.ts';
import type { KeySignatureFault } from '../epochs/key-signatures.ts';
import type { Genesis } from '../genesis.ts';
import type { Epoch, GenesisHash } from '../ids.ts';
import { checkProofStructure } from '../proof.ts';
import type { SkipReason } from '../receipt.ts';
import type { Transaction } from '../transaction.ts';
import type { SessionAuth, SessionHashAuth } from './auth.ts';
import { certifiedMembersHash, committeeMessage, issuerIdOf } from './committee-certificate.ts';
import { type Credential, type CredentialProof, readCredentialProof } from './credential.ts';
import { type Grant, grantIdOf, sessionAccountOf } from './grant.ts';
import { grantsInOutput } from './receipt-output.ts';
import { isInScope } from './scope.ts';

export interface SessionChain {
  readonly genesisHash: GenesisHash;
  readonly committee: Committee;
  readonly genesis: Pick<Genesis, 'trustedIssuers'>;
}

/** Permanent: no block or state can cure it. */
export type AuthorityFault = Extract<
  SkipReason,
  | 'bad-signature'
  | 'session-out-of-scope'
  | 'session-unknown-issuer'
  | 'session-foreign-chain'
  | 'session-broken-path'
  | 'session-truncated-proof'
  | 'session-wrong-committee'
  | 'session-bad-certificate'
  | 'session-replayed-grant'
  | 'session-wrong-account'
  | KeySignatureFault
>;

interface StateSignature {
  readonly epoch: Epoch;
  readonly message: Uint8Array;
  /** In the issuing committee, ascending. */
  readonly signers: readonly number[];
  readonly aggregate: Uint8Array;
}

interface RootSignature {
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

export interface CredentialSignatures {
  readonly state: StateSignature;
  /** Undefined: the own committee signed. */
  readonly issuer: { readonly root: RootSignature | undefined; readonly publicKeys: readonly Uint8Array[] } | undefined;
}

/** Saves three hashes at every use. */
const accounts = new WeakMap<Pick<Credential, 'grant' | 'root'>, AccountKey>();

export function accountOfCredential(credential: Pick<Credential, 'grant' | 'root'>): AccountKey {
  const known = accounts.get(credential);
  if (known !== undefined) return known;
  const { grant, root } = credential;
  const issuer = issuerIdOf(root ? { rootKey: root.key } : { genesisHash: grant.issuer });
  const account = sessionAccountOf(issuer, grant.pseudonym);
  accounts.set(credential, account);
  return account;
}

/** Must have signed the authority message. */
export function sessionKeyOf(auth: SessionAuth | SessionHashAuth): Uint8Array {
  return auth.scheme === 'session' ? auth.credential.grant.sessionKey : auth.sessionKey;
}

export function checkSessionUse(
  { body }: Pick<Transaction, 'body'>,
  credential: Credential,
  { genesisHash, genesis }: SessionChain,
): AuthorityFault | undefined {
  const { grant, root } = credential;
  if (!bytesEqual(grant.target, genesisHash)) return 'session-foreign-chain';
  const isOwn = bytesEqual(grant.issuer, genesisHash);
  if (isOwn && root !== undefined) return 'session-wrong-committee';
  if (!isOwn && !genesis.trustedIssuers.some((key) => root !== undefined && bytesEqual(key, root.key))) {
    return 'session-unknown-issuer';
  }
  const account = accountOfCredential(credential);
  if (account.scheme !== body.sender.scheme || !bytesEqual(account.bytes, body.sender.bytes)) {
    return 'session-wrong-account';
  }
  if (body.actions.some(({ kind }) => !isInScope(grant.scope, kind))) return 'session-out-of-scope';
  return undefined;
}

/** Returns the signatures that must hold. */
export function checkCredentialProof(
  { grant, root, proof: bytes }: Credential,
  { committee }: SessionChain,
): Result<CredentialSignatures, AuthorityFault> {
  const proof = readCredentialProof(bytes);
  if (proof === undefined) return fail('session-truncated-proof');
  if (!isGranted(grant, proof)) return fail('session-replayed-grant');
  const isOwn = root === undefined;
  const isCertified = root !== undefined && root.expiryMs > 0;
  if (isCertified !== (proof.committeeSignature !== undefined)) return fail('session-truncated-proof');
  if (isOwn !== (proof.members.length === 0)) return fail('session-wrong-committee');
  const signed = isOwn
    ? checkProofStructure(proof, grant.issuer, committee)
    : checkProofStructure(proof, grant.issuer, certifiedCommittee(proof.certificate.subject.epoch, proof.members));
  if (!signed.ok) return fail(signed.error === 'quorum' ? 'session-bad-certificate' : 'session-broken-path');
  if (root === undefined) return ok({ state: signed.value, issuer: undefined });
  const publicKeys = signed.value.signers.map(
    (signer) => (proof.members[signer] as { blsPublicKey: Uint8Array }).blsPublicKey,
  );
  if (proof.committeeSignature === undefined)
    return ok({ state: signed.value, issuer: { root: undefined, publicKeys } });
  const message = committeeMessage(grant.issuer, proof.members, root.expiryMs);
  const signature = proof.committeeSignature;
  return ok({ state: signed.value, issuer: { root: { key: root.key, message, signature }, publicKeys } });
}

const committeeHashes = new WeakMap<Pick<Credential, 'proof'>, Uint8Array>();

/** SHA-256 of the issuing committee's certified members. Undefined: the proof does not decode. */
export function committeeHashOfCredential(credential: Pick<Credential, 'proof'>): Uint8Array | undefined {
  const known = committeeHashes.get(credential);
  if (known !== undefined) return known;
  const proof = readCredentialProof(credential.proof);
  if (proof === undefined) return undefined;
  const hash = certifiedMembersHash(proof.members);
  committeeHashes.set(credential, hash);
  return hash;
}

/** The receipt must be a success with exactly this grant's id. */
function isGranted(grant: Grant, { receipt }: CredentialProof): boolean {
  if (receipt.outcome.status !== 'success') return false;
  const id = grantIdOf(grant);
  return grantsInOutput(receipt.output)?.some((granted) => bytesEqual(granted, id)) === true;
}
