/**
 *   salt of the anchor (secret, on the devices only) --service--> pseudonym of the service
 *   grant (signed by a device, on the identity chain) --> credential --> transactions signed by the session key, on the target chain
 */
import { ed25519Sign } from '@slipstream/crypto/browser';
import { domainPrefix, fromHex, hashInDomain, to0x } from '@slipstream/primitives';
import {
  type AccountKey,
  type Action,
  accountKeyText,
  accountOfCredential,
  authorityMessage,
  type Credential,
  credentialCodec,
  type GenesisHash,
  type GrantableAction,
  type GrantId,
  type GrantSession,
  grantIdOf,
  scopeOf,
  serviceSaltOf,
  type TransactionAuth,
  type TransactionBody,
  transactionIdOf,
} from '@slipstream/types';
import { ClientError } from './errors.ts';
import { type KeyPair, keyPairFrom } from './keys.ts';
import { buildTransaction, encodeSigned, type SignedTransaction, type TransactionParts } from './transactions.ts';

export interface GrantTerms {
  /** The identity: its devices may grant. */
  readonly anchor: AccountKey;
  /** 32 secret bytes of the anchor's devices (anchorSalt). */
  readonly anchorSalt: Uint8Array;
  /** Where the session acts. */
  readonly target: GenesisHash;
  /** 1 to 64 bytes, such as wallet.example. */
  readonly service: string;
  readonly actions: readonly GrantableAction[];
  /** In total, fees included. */
  readonly spendLimit: bigint;
  readonly expiryMs: number;
}

export interface Session {
  readonly key: KeyPair;
  readonly credential: Credential;
  readonly grantId: GrantId;
  /** Sender of its transactions on the target chain. */
  readonly account: AccountKey;
  readonly accountText: string;
}

/** `credential`: always accepted. `hash`: smaller and cheaper; valid after the target chain has executed one with the credential. */
export type SessionProofForm = 'credential' | 'hash';

const SALT_DOMAIN = domainPrefix('slipstream/anchor-salt');

/** From an anchor's first secret, so that it can be recovered. Other devices need a copy. */
export function anchorSalt({ secret }: Pick<KeyPair, 'secret'>): Uint8Array {
  return hashInDomain(SALT_DOMAIN, secret);
}

export function grantSession(terms: GrantTerms, sessionKey: Pick<KeyPair, 'publicKey'>): GrantSession {
  const { anchor, target, service, spendLimit, expiryMs } = terms;
  try {
    const serviceSalt = serviceSaltOf(terms.anchorSalt, service);
    const scope = scopeOf(terms.actions);
    const body = { anchor, target, service, serviceSalt, scope, spendLimit, expiryMs };
    return { kind: 'grantSession', ...body, sessionKey: sessionKey.publicKey };
  } catch (cause) {
    throw new ClientError('bad-argument', `the session cannot be granted: ${String(cause)}`, {}, cause);
  }
}

/** Throws ClientError `bad-argument` for another key's credential. */
export function openSession(key: KeyPair, credential: Credential): Session {
  if (to0x(credential.grant.sessionKey) !== to0x(key.publicKey)) {
    throw new ClientError('bad-argument', 'the credential was granted to another session key');
  }
  const account = accountOfCredential(credential);
  return { key, credential, grantId: grantIdOf(credential.grant), account, accountText: accountKeyText(account) };
}

export function signWithSession(
  parts: Omit<TransactionParts, 'sender' | 'genesisHash'>,
  session: Session,
  form: SessionProofForm = 'credential',
): SignedTransaction {
  const { account, credential } = session;
  const body = buildTransaction({ ...parts, sender: account, genesisHash: credential.grant.target });
  return signBodyWithSession(body, session, form);
}

/** Another authorization has the same id, so a chain executes only one. */
export function signBodyWithSession(
  body: TransactionBody,
  session: Session,
  form: SessionProofForm,
): SignedTransaction {
  return encodeSigned({ body, auth: authOf(body, session, form) });
}

function authOf(body: TransactionBody, { key, credential, grantId }: Session, form: SessionProofForm): TransactionAuth {
  const auth =
    form === 'hash'
      ? ({ scheme: 'session-hash', sessionKey: key.publicKey, grantId } as const)
      : ({ scheme: 'session', credential } as const);
  return { ...auth, signature: ed25519Sign(authorityMessage(transactionIdOf(body), auth), key.secret) };
}

export function revokeSession(owner: AccountKey, grantId: GrantId): Action {
  return { kind: 'revokeSession', owner, grantId };
}

/** For files. Its secret suffices to act until the session ends. */
interface SessionJson {
  readonly id: string;
  readonly account: string;
  readonly service: string;
  readonly secret: string;
  readonly credential: string;
}

export function sessionToJson({ key, credential, grantId, accountText }: Session): SessionJson {
  return {
    id: to0x(grantId),
    account: accountText,
    service: credential.grant.service,
    secret: to0x(key.secret),
    credential: to0x(credentialCodec.encode(credential)),
  };
}

/** Throws ClientError `bad-argument`. */
export function sessionFromJson(json: unknown): Session {
  const { secret, credential } = (typeof json === 'object' && json !== null ? json : {}) as Partial<SessionJson>;
  if (typeof secret !== 'string' || typeof credential !== 'string') {
    throw new ClientError('bad-argument', 'a session has a secret and a credential: is this the file of a session?');
  }
  return openSession(keyPairFrom(bytesOf(secret)), readCredential(credential));
}

/** `text`: 0x and hexadecimal serialization. Throws ClientError `bad-argument`. */
export function readCredential(text: string): Credential {
  const decoded = credentialCodec.decode(bytesOf(text));
  if (!decoded.ok) throw new ClientError('bad-argument', `not a credential: ${decoded.error.message}`);
  return decoded.value;
}

function bytesOf(text: string): Uint8Array {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) throw new ClientError('bad-argument', 'not 0x and hexadecimal digits');
  return fromHex(text);
}
