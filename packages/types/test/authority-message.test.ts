/** What a session key signs, byte by byte, for authors of clients. */
import { concatBytes, sha256, toHex, utf8 } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import {
  asId,
  authorityMessage,
  type Credential,
  createCredentialMemory,
  credentialCodec,
  type GenesisHash,
  type GrantId,
  type TransactionId,
} from '../src/index.ts';

const ID = asId<TransactionId>(new Uint8Array(32).fill(1));
const GRANT_ID = asId<GrantId>(new Uint8Array(32).fill(2));
const CHAIN = asId<GenesisHash>(new Uint8Array(32).fill(3));
const DOMAIN = concatBytes(new Uint8Array([28]), utf8('slipstream/session-authority'));

const terms = { service: 'wallet.example', scope: 2, spendLimit: 1n, expiryMs: 1 };
const parties = { issuer: CHAIN, target: CHAIN, pseudonym: new Uint8Array(32), sessionKey: new Uint8Array(32) };
const credential: Credential = { grant: { ...parties, ...terms }, root: undefined, proof: new Uint8Array(9).fill(4) };

describe('the signed message', () => {
  it('by an Ed25519 sender is the id', () => {
    expect(authorityMessage(ID, { scheme: 'ed25519' })).toEqual(ID);
  });

  it('by a session key that names its grant is a hash of the id, 3 and the grant’s id', () => {
    const message = authorityMessage(ID, { scheme: 'session-hash', grantId: GRANT_ID });
    expect(message).toEqual(sha256(concatBytes(DOMAIN, ID, new Uint8Array([3]), GRANT_ID)));
    expect(toHex(message)).toBe('ad9b4cd7745aa99c4b83c1de8a17dca42dd92e99def5bf0b2ab46abc68d6deef');
  });

  it('by a session key with a credential is a hash of the id, 2 and the hash of the credential’s bytes', () => {
    const message = authorityMessage(ID, { scheme: 'session', credential });
    const named = sha256(credentialCodec.encode(credential));
    expect(message).toEqual(sha256(concatBytes(DOMAIN, ID, new Uint8Array([2]), named)));
    expect(toHex(message)).toBe('0057ea07c0ef8178efa00341f58592eb8e4690669f2d8f69fd35a6c058e21c80');
  });

  it('is the same for a credential that was created, decoded or cached', () => {
    const bytes = credentialCodec.encode(credential);
    const memory = createCredentialMemory();
    const read = memory.read(bytes) as Credential;
    memory.keep(read);
    const decoded = credentialCodec.decode(bytes);
    const all = [credential, read, memory.read(bytes) as Credential, decoded.ok ? decoded.value : credential];
    const messages = all.map((each) => toHex(authorityMessage(ID, { scheme: 'session', credential: each })));
    expect(new Set(messages).size).toBe(1);
  });

  it('differs when a credential differs in any field, to the last byte of its proof', () => {
    const other = { ...credential, proof: new Uint8Array(9).fill(4, 0, 8) };
    const [a, b] = [credential, other].map((each) => authorityMessage(ID, { scheme: 'session', credential: each }));
    expect(a).not.toEqual(b);
  });
});
