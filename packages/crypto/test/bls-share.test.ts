/** Shares by WebAssembly, by JavaScript and by blst: one signature has one form. */
import { sha256, utf8 } from '@slipstream/primitives';
import { expect, test, vi } from 'vitest';
import { blsSecretNumber, blsSecretSum, loadShareSigning } from '../src/browser/index.ts';
import { createBlsSigner, generateBlsSecretKey } from '../src/native/index.ts';

const secretOf = (name: string) => generateBlsSecretKey(sha256(utf8(name)));
const messageOf = (name: string) => sha256(utf8(name));

test('WebAssembly gives the bytes of blst', async () => {
  const { by, sign } = await loadShareSigning();
  expect(by).toBe('webassembly');
  for (const name of ['a', 'b', 'c']) {
    const secret = secretOf(name);
    expect(sign(messageOf(name), secret)).toEqual(createBlsSigner(secret).sign(messageOf(name)));
  }
});

test('where WebAssembly is forbidden, JavaScript gives the same bytes', async () => {
  vi.resetModules();
  vi.stubGlobal('WebAssembly', { compile: () => Promise.reject(new Error('blocked by policy')) });
  try {
    const fresh = await import('../src/browser/bls-share.ts');
    const { by, sign } = await fresh.loadShareSigning();
    expect(by).toBe('javascript');
    expect(sign(messageOf('a'), secretOf('a'))).toEqual(createBlsSigner(secretOf('a')).sign(messageOf('a')));
  } finally {
    vi.unstubAllGlobals();
  }
});

test('no signature is made with a secret that is none: zero, too large, or of another length', async () => {
  const { sign } = await loadShareSigning();
  for (const secret of [new Uint8Array(32), new Uint8Array(32).fill(255), new Uint8Array(31).fill(1)]) {
    expect(() => sign(messageOf('a'), secret)).toThrow(expect.objectContaining({ code: 'invalid-secret-key' }));
  }
});

test('a sum of secrets signs as all of them; secrets that cancel each other do not', () => {
  const secrets = ['a', 'b', 'c'].map(secretOf);
  const sum = blsSecretSum(secrets.map(blsSecretNumber));
  expect(createBlsSigner(sum).publicKey).toHaveLength(48);
  expect(blsSecretSum([blsSecretNumber(sum)])).toEqual(sum);
  const order = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
  expect(() => blsSecretSum([5n, order - 5n])).toThrow(expect.objectContaining({ code: 'invalid-secret-key' }));
});
