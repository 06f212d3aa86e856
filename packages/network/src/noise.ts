/**
 * Noise with libsodium's ChaCha20-Poly1305 (RFC 8439), up to three times as fast as the library's WebAssembly up to 4 kB
 * (docs/decisions/0004), and with one system call a tick (patches/tcp-socket.ts).
 */
import { noise } from '@chainsafe/libp2p-noise';
import { defaultCrypto } from '@chainsafe/libp2p-noise/crypto';
import type { ConnectionEncrypter } from '@libp2p/interface';
import sodium from 'sodium-native';
import { gatherWrites } from './patches/tcp-socket.ts';

type Crypto = typeof defaultCrypto;
type MakeNoise = ReturnType<typeof noise>;

const TAG_BYTES = 16;

/** Missing in the binding's types. */
declare module 'sodium-native' {
  export function crypto_aead_chacha20poly1305_ietf_encrypt(
    sealed: Buffer,
    message: Buffer,
    associated: Buffer,
    secretNonce: null,
    nonce: Buffer,
    key: Buffer,
  ): void;
  export function crypto_aead_chacha20poly1305_ietf_decrypt(
    message: Buffer,
    secretNonce: null,
    sealed: Buffer,
    associated: Buffer,
    nonce: Buffer,
    key: Buffer,
  ): void;
}

export function gatheringNoise(): (components: Parameters<MakeNoise>[0]) => ConnectionEncrypter {
  const makeNoise = noise({ crypto: nativeCrypto });
  return (components) => {
    const inner = makeNoise(components);
    return {
      protocol: inner.protocol,
      secureOutbound(connection, options) {
        gatherWrites(connection);
        return inner.secureOutbound(connection, options);
      },
      secureInbound(connection, options) {
        gatherWrites(connection);
        return inner.secureInbound(connection, options);
      },
    };
  };
}

/** Decryption throws on a message not sealed with this key and nonce. */
export const nativeCrypto: Crypto = {
  ...defaultCrypto,
  chaCha20Poly1305Encrypt(plaintext, nonce, associated, key) {
    const message = plaintext.subarray();
    const sealed = Buffer.allocUnsafe(message.length + TAG_BYTES);
    sodium.crypto_aead_chacha20poly1305_ietf_encrypt(
      sealed,
      over(message),
      over(associated),
      null,
      over(nonce),
      over(key),
    );
    return sealed;
  },
  chaCha20Poly1305Decrypt(ciphertext, nonce, associated, key) {
    const sealed = ciphertext.subarray();
    if (sealed.length < TAG_BYTES) throw new Error('a Noise message is shorter than its tag');
    const message = Buffer.allocUnsafe(sealed.length - TAG_BYTES);
    sodium.crypto_aead_chacha20poly1305_ietf_decrypt(
      message,
      null,
      over(sealed),
      over(associated),
      over(nonce),
      over(key),
    );
    return message;
  },
};

/** Shares the memory. The binding's types require a Buffer. */
function over(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
