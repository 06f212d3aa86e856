/**
 * Checking a session transaction: everything that its bytes and the genesis decide, the cheap part first.
 *
 *   target chain, issuer, account, scope --> proof decodes --> receipt grants it --> path --> digests --> quorum --> signatures
 *
 * What is left are two BLS signatures (root over committee, committee over state) and the session key's own, which the caller
 * has checked (crypto, "session checks"). Time, revocation and spending are the executor's: they need the block and the state.
 * The verdict is a function of bytes and genesis alone, so that every node comes to the same one, whatever it has cached.
 */
import { bytesEqual, fail, ok, type Result } from '@slipstream/primitives';
import type { AccountKey } from '../account.ts';
import type { Committee } from '../committee.ts';
import type { Genesis } from '../genesis.ts';
import type { GenesisHash } from '../ids.ts';
import { checkProofStructure } from '../proof.ts';
import type { SkipReason } from '../receipt.ts';
import type { Transaction } from '../transaction.ts';
import type { SessionAuth, SessionHashAuth } from './auth.ts';
import { committeeMessage, issuerIdOf } from './committee-certificate.ts';
import { type Credential, type CredentialProof, readCredentialProof } from './credential.ts';
import { type Grant, grantIdOf, sessionAccountOf } from './grant.ts';
import { grantsInOutput } from './receipt-output.ts';
import { isInScope } from './scope.ts';

export interface SessionChain {
  readonly genesisHash: GenesisHash;
  readonly committee: Committee;
  readonly genesis: Pick<Genesis, 'trustedIssuers'>;
}

/** What is wrong with a session's authority for good: no block, no state can make it right. */
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
>;

/** Must hold over `message`. */
export interface StateSignature {
  readonly message: Uint8Array;
  /** Indices in the issuing committee, ascending. */
  readonly signers: readonly number[];
  readonly aggregate: Uint8Array;
}

export interface RootSignature {
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

export interface CredentialSignatures {
  readonly state: StateSignature;
  /** Undefined when the own committee signed the state. */
  readonly issuer: { readonly root: RootSignature; readonly publicKeys: readonly Uint8Array[] } | undefined;
}

/** Three hashes, asked for at every use of a credential: known by the value that was decoded. */
const accounts = new WeakMap<Pick<Credential, 'grant' | 'root'>, AccountKey>();

/** The account that a session acts for. */
export function accountOfCredential(credential: Pick<Credential, 'grant' | 'root'>): AccountKey {
  const known = accounts.get(credential);
  if (known !== undefined) return known;
  const { grant, root } = credential;
  const issuer = issuerIdOf(root ? { rootKey: root.key } : { genesisHash: grant.issuer });
  const account = sessionAccountOf(issuer, grant.pseudonym);
  accounts.set(credential, account);
  return account;
}

/** The session's key: whose signature on the authority's message is to be checked. */
export function sessionKeyOf(auth: SessionAuth | SessionHashAuth): Uint8Array {
  return auth.scheme === 'session' ? auth.credential.grant.sessionKey : auth.sessionKey;
}

/** A credential's use in a transaction: without looking into its proof. */
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

/** The proof's structure and hashes. What must be signed for the credential to be true comes back. */
export function checkCredentialProof(
  { grant, root, proof: bytes }: Credential,
  { committee }: SessionChain,
): Result<CredentialSignatures, AuthorityFault> {
  const proof = readCredentialProof(bytes);
  if (proof === undefined) return fail('session-truncated-proof');
  if (!isGranted(grant, proof)) return fail('session-replayed-grant');
  const isOwn = root === undefined;
  if (isOwn !== (proof.committeeSignature === undefined)) return fail('session-truncated-proof');
  if (isOwn !== (proof.members.length === 0)) return fail('session-wrong-committee');
  const signed = isOwn
    ? checkProofStructure(proof, grant.issuer, committee)
    : checkProofStructure(proof, grant.issuer, committeeOfProof(proof));
  if (!signed.ok) return fail(signed.error === 'quorum' ? 'session-bad-certificate' : 'session-broken-path');
  if (root === undefined) return ok({ state: signed.value, issuer: undefined });
  const publicKeys = signed.value.signers.map(
    (signer) => (proof.members[signer] as { blsPublicKey: Uint8Array }).blsPublicKey,
  );
  const message = committeeMessage(grant.issuer, proof.members, root.expiryMs);
  const signature = proof.committeeSignature as Uint8Array;
  return ok({ state: signed.value, issuer: { root: { key: root.key, message, signature }, publicKeys } });
}

function committeeOfProof({ members }: CredentialProof): Committee {
  return {
    members: members.map(({ weight, blsPublicKey }, index) => ({ index, weight, blsPublicKey, peerKey: NO_PEER })),
    totalWeight: members.reduce((sum, { weight }) => sum + weight, 0),
  };
}

/** A certified committee is known by its keys and weights: its nodes' addresses are no one else's concern. */
const NO_PEER = '' as Committee['members'][number]['peerKey'];

/** The receipt is of a transaction that succeeded and left exactly this grant's id: another grant's receipt proves another grant. */
function isGranted(grant: Grant, { receipt }: CredentialProof): boolean {
  if (receipt.outcome.status !== 'success') return false;
  const id = grantIdOf(grant);
  return grantsInOutput(receipt.output)?.some((granted) => bytesEqual(granted, id)) === true;
}
