/**
 * Checks a session transaction by its bytes and the records up to the epoch of its chunk, cheapest first (S15).
 *
 *   target chain, issuer, account, scope --> proof decodes --> receipt grants it --> path --> digests --> quorum --> signatures
 *
 * Of a chain's own committees, that of the chunk's epoch and the one before issue credentials. What an epoch may refuse is checked apart
 * from the proof, which stays true or false for ever.
 *
 * Two BLS signatures remain: root over committee, committee over state. Where the target's state knows the committee, only the second does.
 * The caller has checked the session key's own (crypto, "authority checks"). Time, revocation and spending are the executor's. So every node
 * reaches the same verdict, whatever its caches hold.
 */
import { bytesEqual, fail, ok, type Result } from '@slipstream/primitives';
import type { AccountKey } from '../account.ts';
import { certifiedCommittee } from '../committee.ts';
import type { KeySignatureFault } from '../epochs/key-signatures.ts';
import type { EpochRecord } from '../epochs/record.ts';
import type { Epoch, GenesisHash } from '../ids.ts';
import { checkProofStructure } from '../proof.ts';
import type { SkipReason } from '../receipt.ts';
import type { Transaction } from '../transaction.ts';
import type { SessionAuth, SessionHashAuth } from './auth.ts';
import { certifiedMembersHash, committeeMessage, issuerIdOf } from './committee-certificate.ts';
import { type Credential, type CredentialProof, epochOfCredentialProof, readCredentialProof } from './credential.ts';
import { type Grant, grantIdOf, sessionAccountOf } from './grant.ts';
import { grantsInOutput } from './receipt-output.ts';
import { isInScope } from './scope.ts';

type IssuerRecord = Pick<EpochRecord, 'epoch' | 'members' | 'parameters'>;

export interface SessionChain {
  readonly genesisHash: GenesisHash;
  /** Throws for an unknown one: other nodes know it, and reach a verdict. */
  recordOf(epoch: Epoch): IssuerRecord;
}

/** No block or state can cure it; an issuer fault holds for one epoch. */
export type AuthorityFault = Extract<
  SkipReason,
  | 'bad-signature'
  | 'session-out-of-scope'
  | 'session-unknown-issuer'
  | 'session-foreign-chain'
  | 'session-broken-path'
  | 'session-truncated-proof'
  | 'session-wrong-committee'
  | 'session-committee-expired'
  | 'session-bad-certificate'
  | 'session-replayed-grant'
  | 'session-wrong-account'
  | KeySignatureFault
>;

interface StateSignature {
  readonly message: Uint8Array;
  /** Of the signers. */
  readonly publicKeys: readonly Uint8Array[];
  readonly aggregate: Uint8Array;
}

interface RootSignature {
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

export interface CredentialSignatures {
  readonly state: StateSignature;
  /** Undefined: a record of this chain, or the target's state, names the committee. */
  readonly root: RootSignature | undefined;
}

/** Whose word a credential is: a root key's, or that of an own committee. */
export type CredentialIssuer = { readonly rootKey: Uint8Array } | { readonly epoch: Epoch | undefined };

export function issuerOfCredential({ root, proof }: Pick<Credential, 'root' | 'proof'>): CredentialIssuer {
  return root === undefined ? { epoch: epochOfCredentialProof(proof) } : { rootKey: root.key };
}

type IssuerFault = 'session-unknown-issuer' | 'session-committee-expired';

/** What the record of an epoch says against an issuer. */
export function issuerFault(
  issuer: CredentialIssuer,
  { epoch, parameters }: Pick<EpochRecord, 'epoch' | 'parameters'>,
): IssuerFault | undefined {
  if ('rootKey' in issuer) {
    const isTrusted = parameters.trustedIssuers.some((key) => bytesEqual(key, issuer.rootKey));
    return isTrusted ? undefined : 'session-unknown-issuer';
  }
  const isCurrent = issuer.epoch === undefined || issuer.epoch === epoch || issuer.epoch + 1 === epoch;
  return isCurrent ? undefined : 'session-committee-expired';
}

/** A node in another epoch may find none. */
export function isIssuerFault(fault: AuthorityFault): fault is IssuerFault {
  return fault === 'session-unknown-issuer' || fault === 'session-committee-expired';
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
  { genesisHash, record }: { readonly genesisHash: GenesisHash; readonly record: IssuerRecord },
): AuthorityFault | undefined {
  const { grant, root } = credential;
  if (!bytesEqual(grant.target, genesisHash)) return 'session-foreign-chain';
  const isOwn = bytesEqual(grant.issuer, genesisHash);
  if (isOwn && root !== undefined) return 'session-wrong-committee';
  if (!isOwn && root === undefined) return 'session-unknown-issuer';
  const refused = issuerFault(issuerOfCredential(credential), record);
  if (refused !== undefined) return refused;
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
  { recordOf }: Pick<SessionChain, 'recordOf'>,
): Result<CredentialSignatures, AuthorityFault> {
  const proof = readCredentialProof(bytes);
  if (proof === undefined) return fail('session-truncated-proof');
  if (!isGranted(grant, proof)) return fail('session-replayed-grant');
  const isOwn = root === undefined;
  const isCertified = root !== undefined && root.expiryMs > 0;
  const { committeeSignature: signature } = proof;
  if (isCertified !== (signature !== undefined)) return fail('session-truncated-proof');
  if (isOwn !== (proof.members.length === 0)) return fail('session-wrong-committee');
  const { epoch } = proof.certificate.subject;
  const members = isOwn ? recordOf(epoch).members : proof.members;
  const signed = checkProofStructure(proof, grant.issuer, certifiedCommittee(epoch, members));
  if (!signed.ok) return fail(signed.error === 'quorum' ? 'session-bad-certificate' : 'session-broken-path');
  const { message, signers, aggregate } = signed.value;
  const publicKeys = signers.map((signer) => (members[signer] as { blsPublicKey: Uint8Array }).blsPublicKey);
  const state = { message, publicKeys, aggregate };
  if (root === undefined || signature === undefined) return ok({ state, root: undefined });
  const certified = committeeMessage(grant.issuer, proof.members, root.expiryMs);
  return ok({ state, root: { key: root.key, message: certified, signature } });
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
