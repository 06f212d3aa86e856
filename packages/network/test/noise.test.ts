import { Socket } from 'node:net';
import { defaultCrypto } from '@chainsafe/libp2p-noise/crypto';
import { LANES } from '@slipstream/ports';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { nativeCrypto } from '../src/noise.ts';
import { connect, frameOf, startNode, stopAll, until } from './cluster.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await stopAll();
});

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const sealings = [fc.uint8Array({ maxLength: 2_500 }), bytes(12), fc.uint8Array({ maxLength: 40 }), bytes(32)] as const;

test('libsodium seals to the same bytes as the library, and each opens what the other sealed', () => {
  fc.assert(
    fc.property(...sealings, (plaintext, nonce, associated, key) => {
      const ours = nativeCrypto.chaCha20Poly1305Encrypt(plaintext, nonce, associated, key).subarray();
      const theirs = defaultCrypto.chaCha20Poly1305Encrypt(plaintext, nonce, associated, key).subarray();
      expect(Buffer.compare(ours, theirs)).toBe(0);
      const opened = nativeCrypto.chaCha20Poly1305Decrypt(theirs, nonce, associated, key).subarray();
      expect(Buffer.compare(opened, plaintext)).toBe(0);
    }),
  );
});

test('a message that was changed anywhere, or is shorter than its tag, does not open', () => {
  fc.assert(
    fc.property(...sealings, fc.nat(), (plaintext, nonce, associated, key, position) => {
      const sealed = Uint8Array.from(
        nativeCrypto.chaCha20Poly1305Encrypt(plaintext, nonce, associated, key).subarray(),
      );
      const open = (message: Uint8Array) => nativeCrypto.chaCha20Poly1305Decrypt(message, nonce, associated, key);
      expect(() => open(sealed.subarray(0, position % sealed.length))).toThrow();
      const changed = sealed.map((byte, index) => (index === position % sealed.length ? byte ^ 1 : byte));
      expect(() => open(changed)).toThrow();
    }),
  );
});

test('frames of all lanes sent to a peer in one turn of the event loop are one system call', async () => {
  const [sender, receiver] = [await startNode(0), await startNode(1)];
  await connect(sender, receiver);
  const arrive = async (count: number) => {
    for (const lane of LANES) sender.transport.send(receiver.key, lane, frameOf(lane, count));
    await until(() => receiver.frames.length === count * LANES.length);
  };
  await arrive(1);
  const calls: number[] = [];
  const writev = Socket.prototype._writev as NonNullable<Socket['_writev']>;
  vi.spyOn(Socket.prototype, '_writev').mockImplementation(function (this: Socket, chunks, done) {
    calls.push(chunks.length);
    writev.call(this, chunks, done);
  });
  const write = vi.spyOn(Socket.prototype, '_write');
  await arrive(2);
  // A length and a ciphertext for each lane's frame.
  expect(calls).toEqual([2 * LANES.length]);
  expect(write).not.toHaveBeenCalled();
});
