/**
 * A validator's secret keys, by public key. Synchronous, for worker threads.
 *
 * Erasing: bytes passed in are overwritten, and a removed key's last reference goes. The binding overwrites its own copy when that is
 * collected.
 */
import { toHex } from '@slipstream/primitives';
import { type BlsSigner, createBlsSigner } from './bls-signer.ts';

export interface SecretKeys {
  /** Erases the bytes, and returns the public key. Throws CryptoError `invalid-secret-key`. */
  add(secretKey: Uint8Array): Uint8Array;
  remove(publicKey: Uint8Array): void;
  /** 192 bytes each. Undefined: the key is not here. */
  sign(publicKey: Uint8Array, messages: readonly Uint8Array[]): readonly Uint8Array[] | undefined;
}

export function createSecretKeys(): SecretKeys {
  const signers = new Map<string, BlsSigner>();

  return {
    add(secretKey) {
      try {
        const signer = createBlsSigner(secretKey);
        signers.set(toHex(signer.publicKey), signer);
        return signer.publicKey;
      } finally {
        secretKey.fill(0);
      }
    },
    remove(publicKey) {
      signers.delete(toHex(publicKey));
    },
    sign(publicKey, messages) {
      const signer = signers.get(toHex(publicKey));
      return signer && messages.map((message) => signer.sign(message));
    },
  };
}
