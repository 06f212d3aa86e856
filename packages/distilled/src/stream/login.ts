/** Login: who may send rows on this stream. */
import { assert, domainPrefix, fromHex, hashInDomain, type PeerKey } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import { NONCE_BYTES } from './limits.ts';

const LOGIN_DOMAIN = domainPrefix('slipstream/distill-login');

interface LoginOf {
  readonly genesisHash: GenesisHash;
  /** Whose stream it is: a login that another broker passed on does not hold. */
  readonly broker: PeerKey;
  /** Of this stream: a login holds once. */
  readonly nonce: Uint8Array;
  /** In the account directory, ascending. */
  readonly indices: Uint32Array;
}

/** 32 bytes: what the keys of all indices sign. */
export function loginMessage({ genesisHash, broker, nonce, indices }: LoginOf): Uint8Array {
  assert(nonce.length === NONCE_BYTES, 'a nonce has a fixed length');
  const bytes = new Uint8Array(4 * indices.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < indices.length; i++) view.setUint32(4 * i, indices[i] as number, true);
  return hashInDomain(LOGIN_DOMAIN, genesisHash, fromHex(broker), nonce, bytes);
}
