/**
 * Authorities: the proof that a transaction's body is authorized.
 *
 *   ed25519       the sender's own signature
 *   session       a session key's signature, with the credential that lets it act for the sender
 *   session-hash  the same, with the grant's id: an earlier transaction has put the credential into the state
 *
 * All signatures are Ed25519 over authority-message.ts. The sender's scheme determines the allowed ones.
 */
import { ByteVectorType, ContainerType, unreachable } from '@slipstream/primitives';
import type { AccountScheme } from '../account.ts';
import type { GrantId } from '../ids.ts';
import { asId } from '../ids.ts';
import { ED25519_SIGNATURE_BYTES } from '../limits.ts';
import { bytes32 } from '../subject-wire.ts';
import {
  type Credential,
  type CredentialWire,
  credentialFromWire,
  credentialToWire,
  credentialType,
} from './credential.ts';

export interface Ed25519Auth {
  readonly scheme: 'ed25519';
  readonly signature: Uint8Array;
}

export interface SessionAuth {
  readonly scheme: 'session';
  readonly signature: Uint8Array;
  readonly credential: Credential;
}

export interface SessionHashAuth {
  readonly scheme: 'session-hash';
  readonly signature: Uint8Array;
  /** Ed25519; equals the state's session record. */
  readonly sessionKey: Uint8Array;
  readonly grantId: GrantId;
}

export type TransactionAuth = Ed25519Auth | SessionAuth | SessionHashAuth;

/** Never reused. */
export const AUTH_TAGS = { ed25519: 1, session: 2, 'session-hash': 3 } as const;

export interface AuthWire {
  readonly tag: number;
  readonly bytes: Uint8Array;
}

interface SessionWire {
  readonly signature: Uint8Array;
  readonly credential: CredentialWire;
}
interface SessionHashWire {
  readonly signature: Uint8Array;
  readonly sessionKey: Uint8Array;
  readonly grantId: Uint8Array;
}

const signatureType = new ByteVectorType(ED25519_SIGNATURE_BYTES);
const sessionType = new ContainerType({ signature: signatureType, credential: credentialType });
const sessionHashType = new ContainerType({ signature: signatureType, sessionKey: bytes32, grantId: bytes32 });

export function authToWire(auth: TransactionAuth): AuthWire {
  const tag = AUTH_TAGS[auth.scheme];
  switch (auth.scheme) {
    case 'ed25519':
      return { tag, bytes: auth.signature };
    case 'session': {
      const { signature, credential } = auth;
      return { tag, bytes: sessionType.serialize({ signature, credential: credentialToWire(credential) }) };
    }
    case 'session-hash': {
      const { signature, sessionKey, grantId } = auth;
      return { tag, bytes: sessionHashType.serialize({ signature, sessionKey, grantId }) };
    }
    default:
      return unreachable(auth, 'authority');
  }
}

/** Throws on an unknown tag, malformed bytes, or an authority that the sender's scheme does not allow. */
export function authFromWire({ tag, bytes }: AuthWire, sender: AccountScheme): TransactionAuth {
  const auth = readAuth(tag, bytes);
  const takes = auth.scheme === 'ed25519' ? 'ed25519' : 'pseudonym';
  if (sender !== takes) throw new RangeError(`an ${sender} account does not act by ${auth.scheme}`);
  return auth;
}

function readAuth(tag: number, bytes: Uint8Array): TransactionAuth {
  switch (tag) {
    case AUTH_TAGS.ed25519:
      if (bytes.length !== ED25519_SIGNATURE_BYTES) throw new RangeError(`an ed25519 signature has 64 bytes`);
      return { scheme: 'ed25519', signature: bytes };
    case AUTH_TAGS.session: {
      const { signature, credential } = sessionType.deserialize(bytes) as unknown as SessionWire;
      return { scheme: 'session', signature, credential: credentialFromWire(credential) };
    }
    case AUTH_TAGS['session-hash']: {
      const { signature, sessionKey, grantId } = sessionHashType.deserialize(bytes) as SessionHashWire;
      return { scheme: 'session-hash', signature, sessionKey, grantId: asId<GrantId>(grantId) };
    }
    default:
      throw new RangeError(`unknown authority ${tag}`);
  }
}
