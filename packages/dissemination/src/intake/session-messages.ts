import type { AuthorityFault, SkipReason } from '@slipstream/types';

export type SessionReason = Extract<SkipReason, `session-${string}`>;

export const AUTHORITY_MESSAGES: Readonly<Record<SessionReason | AuthorityFault, string>> = {
  'bad-signature': 'its signature is not of the key that it names: sign the id with it',
  'session-expired': 'the session has expired: grant a new one on the identity chain',
  'session-committee-expired':
    'the committee of the credential was replaced, or its certificate has expired: fetch the credential again',
  'session-out-of-scope': 'the session may not carry out one of these actions: grant one with a wider scope',
  'session-unknown-issuer': 'this chain does not trust the issuer of the credential: see trustedIssuers of its epoch',
  'session-foreign-chain': 'the session was granted for another chain: grant one for this chain’s genesis hash',
  'session-broken-path': 'the credential’s proof does not lead from the grant to the certified state: fetch it again',
  'session-truncated-proof': 'the credential’s proof is incomplete or malformed: fetch it again',
  'session-wrong-committee': 'the root key did not certify the committee in the credential: fetch it again',
  'session-bad-certificate': 'the committee did not certify the state in the credential: fetch it again',
  'session-replayed-grant': 'the credential proves another transaction than this grant’s: fetch it again',
  'session-wrong-account': 'the sender is not the account that the session acts for: send from its pseudonym’s account',
  'session-wrong-key': 'the session belongs to another key: sign with the one that was granted',
  'session-unknown': 'this chain does not know the session: send the credential itself, once',
  'session-revoked': 'the session was revoked: grant a new one',
  'bad-possession': 'the new BLS key did not sign its consent for this chain, network key and operator: make it again',
  'bad-readiness': 'the BLS key did not sign that its node is ready: let the node make it again',
  'bad-evidence': 'the key did not sign both messages: this proves nothing about its validator',
  'no-contradiction': 'an honest validator may sign both messages: this proves nothing about its validator',
  'bad-handover': 'the root key or the committee did not sign, or the handover leads to another record: fetch it again',
  'session-spend-limit': 'the session’s spend limit does not cover it, maxFee included: grant one with a higher limit',
};
