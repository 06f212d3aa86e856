import { sha256, uint32le } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import { asId, type Credential, createCredentialMemory, credentialCodec, type GenesisHash } from '../src/index.ts';

function credential(name: number, proofBytes = 1_000): Credential {
  const hash = sha256(uint32le(name));
  const chain = asId<GenesisHash>(hash);
  const terms = { service: 'wallet.example', scope: 2, spendLimit: 1n, expiryMs: 1 };
  const grant = { issuer: chain, target: chain, pseudonym: hash, sessionKey: hash, ...terms };
  return { grant, root: undefined, proof: new Uint8Array(proofBytes) };
}

describe('the credential cache', () => {
  it('returns the cached object without parsing', () => {
    const memory = createCredentialMemory();
    const bytes = credentialCodec.encode(credential(1));
    const first = memory.read(bytes) as Credential;
    expect(memory.read(bytes)).not.toBe(first);
    memory.keep(first);
    expect(memory.read(bytes.slice())).toBe(first);
    expect(memory.stats()).toEqual({ size: 1, hits: 1, misses: 2 });
  });

  it('has no entry for a credential that was only decoded, or differs in a byte', () => {
    const memory = createCredentialMemory();
    const bytes = credentialCodec.encode(credential(1));
    const read = memory.read(bytes) as Credential;
    expect(memory.isTrue(read)).toBe(false);
    memory.keep(read);
    expect(memory.isTrue(credential(1))).toBe(true);
    for (let at = 0; at < bytes.length; at += 7) {
      const other = bytes.slice();
      other[at] = (other[at] as number) ^ 1;
      const decoded = memory.read(other);
      expect(decoded !== undefined && memory.isTrue(decoded)).toBe(false);
    }
  });

  it('does not change when the source bytes change', () => {
    const memory = createCredentialMemory();
    const bytes = credentialCodec.encode(credential(1));
    const kept = memory.read(bytes) as Credential;
    memory.keep(kept);
    const sound = bytes.slice();
    bytes.fill(0);
    expect(credentialCodec.encode(kept)).toEqual(sound);
  });

  it('is bounded in bytes, and evicts the least recently used entry', () => {
    const size = credentialCodec.encode(credential(1)).length;
    const memory = createCredentialMemory(2 * size);
    for (const name of [1, 2]) memory.keep(credential(name));
    memory.read(credentialCodec.encode(credential(1)));
    memory.keep(credential(3));
    expect([1, 2, 3].map((name) => memory.isTrue(credential(name)))).toEqual([true, false, true]);
    memory.keep(credential(4, 3 * size));
    expect(memory.stats().size).toBe(2);
  });
});
