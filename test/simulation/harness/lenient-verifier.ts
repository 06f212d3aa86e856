/**
 * What a node would be that judges accounts' signatures with another library than everyone: @noble/curves by the rules of ZIP 215,
 * which accept small orders, encodings that are not canonical, and the cofactored equation.
 */
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
