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

  it('knows each of several credentials of one session key', () => {
    const memory = createCredentialMemory();
    const all = [1000, 1001, 1002].map((proofBytes) => credentialCodec.encode(credential(1, proofBytes)));
    const kept = all.map((bytes) => {
      const read = memory.read(bytes) as Credential;
      memory.keep(read);
      return read;
    });
    expect(all.map((bytes) => memory.read(bytes.slice()))).toEqual(kept);
    expect(all.every((bytes, i) => memory.read(bytes.slice()) === kept[i])).toBe(true);
    expect(memory.stats()).toEqual({ size: 3, hits: 6, misses: 3 });
  });

  it('forgets what it dropped, also the object that was verified', () => {
    const size = credentialCodec.encode(credential(1)).length;
    const memory = createCredentialMemory(size);
    const [first, second] = [1, 2].map((name) => credential(name)) as [Credential, Credential];
    memory.keep(first);
    expect(memory.isTrue(first)).toBe(true);
    memory.keep(second);
    expect([first, second].map(memory.isTrue)).toEqual([false, true]);
    expect(memory.read(credentialCodec.encode(first))).not.toBe(first);
    memory.keep(first);
    expect([first, second].map(memory.isTrue)).toEqual([true, false]);
    expect(memory.read(credentialCodec.encode(first))).toBe(first);
  });

  it('drops one that was not used since others were', () => {
    const size = credentialCodec.encode(credential(1)).length;
    const memory = createCredentialMemory(3 * size);
    const names = [1, 2, 3, 4, 5];
    for (const name of names.slice(0, 3)) memory.keep(credential(name));
    for (const name of [1, 2, 3]) memory.read(credentialCodec.encode(credential(name)));
    memory.keep(credential(4)); // All were used: the oldest goes.
    memory.read(credentialCodec.encode(credential(2)));
    memory.keep(credential(5));
    expect(names.map((name) => memory.isTrue(credential(name)))).toEqual([false, true, false, true, true]);
  });
});
