/** Another Ed25519 library: @noble/curves by ZIP 215, which accepts small orders, non-canonical encodings and the cofactored equation. */
import { ed25519 } from '@noble/curves/ed25519.js';
import type { AccountSignature, Verifier } from '@slipstream/ports';

export function lenientVerifier(verifier: Verifier): Verifier {
  return { ...verifier, checkAccounts: async (batch) => batch.map(accepts) };
}

function accepts({ publicKey, message, signature }: AccountSignature): boolean {
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: true });
  } catch {
    return false;
  }
}
