/**
 * The message that a transaction's authority signs.
 *
 *   ed25519       the id
 *   session       H("slipstream/session-authority" || id || 2 || SHA-256(credential's bytes))
 *   session-hash  H("slipstream/session-authority" || id || 3 || grant id)
 *
 * The id covers the body only. If a session key signed only the id, a producer could substitute another authority under it: the public
 * credential for the grant id (ten times the fee, or above the maximum), a proof by other signers, or a grant id that the chain does not
 * know yet. The byte is the authority's wire tag, so the forms cannot collide.
 */
import { domainPrefix, hashInDomain, unreachable } from '@slipstream/primitives';
import type { TransactionId } from '../ids.ts';
import { AUTH_TAGS, type Ed25519Auth, type SessionAuth, type SessionHashAuth } from './auth.ts';
import { credentialHashOf } from './credential-hash.ts';

type UnsignedAuth =
  | Pick<Ed25519Auth, 'scheme'>
  | Pick<SessionAuth, 'scheme' | 'credential'>
  | Pick<SessionHashAuth, 'scheme' | 'grantId'>;

const DOMAIN = domainPrefix('slipstream/session-authority');
const SESSION = new Uint8Array([AUTH_TAGS.session]);
const SESSION_HASH = new Uint8Array([AUTH_TAGS['session-hash']]);

/** 32 bytes, determined by the transaction's bytes. */
export function authorityMessage(id: TransactionId, auth: UnsignedAuth): Uint8Array {
  switch (auth.scheme) {
    case 'ed25519':
      return id;
    case 'session':
      return hashInDomain(DOMAIN, id, SESSION, credentialHashOf(auth.credential));
    case 'session-hash':
      return hashInDomain(DOMAIN, id, SESSION_HASH, auth.grantId);
    default:
      return unreachable(auth, 'authority');
  }
}
