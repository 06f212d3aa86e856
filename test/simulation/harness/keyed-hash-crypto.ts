/**
 * A stand-in for BLS, for simulations only: a "signature" is a keyed hash, and the verifier knows every key.
 *
 * It keeps what the protocol relies on (unique signatures, nobody signs for another, an aggregate stands for exactly its signers)
 * and costs a microsecond instead of a millisecond. A share of the runs uses real BLS instead.
 */
import type { QuorumRequest, QuorumResult, Signer, Verifier } from '@slipstream/ports';
import { bytesEqual, concatBytes, sha256, utf8 } from '@slipstream/primitives';
import { BLS_AGGREGATE_BYTES, BLS_SIGNATURE_BYTES } from '@slipstream/types';

function secretOf(seed: string, member: number): Uint8Array {
  return sha256(utf8(`stand-in secret ${seed} ${member}`));
}

function signatureOf(seed: string, member: number, message: Uint8Array): Uint8Array {
  const signature = new Uint8Array(BLS_SIGNATURE_BYTES);
  signature.set(sha256(concatBytes(secretOf(seed, member), message)));
  return signature;
}

function aggregateOf(signatures: readonly Uint8Array[]): Uint8Array {
  const aggregate = new Uint8Array(BLS_AGGREGATE_BYTES);
  aggregate.set(sha256(concatBytes(...signatures)));
  return aggregate;
}

export function createStandInSigner(seed: string, member: number): Signer {
  return {
    publicKey: new Uint8Array(48),
    sign: async (messages) => messages.map((message) => signatureOf(seed, member, message)),
  };
}

export function createStandInVerifier(seed: string): Verifier {
  const isGood = (member: number, message: Uint8Array, signature: Uint8Array) =>
    bytesEqual(signatureOf(seed, member, message), signature);

  async function checkQuorum({ message, votes }: QuorumRequest): Promise<QuorumResult> {
    const offenders = votes.filter(({ signer, signature }) => !isGood(signer, message, signature));
    if (offenders.length === 0) {
      const sorted = [...votes].sort((a, b) => a.signer - b.signer);
      const aggregate = aggregateOf(sorted.map(({ signature }) => signature));
      return { aggregate, offenders: [], verified: [], checks: 1, tookMs: 0 };
    }
    const bad = new Set(offenders.map(({ signer }) => signer));
    const verified = votes.map(({ signer }) => signer).filter((signer) => !bad.has(signer));
    return { aggregate: undefined, offenders: [...bad], verified, checks: votes.length, tookMs: 0 };
  }

  return {
    checkQuorum,
    checkVote: async (message, signer, signature) => isGood(signer, message, signature),
    checkCertificate: async ({ message, signers, aggregate }) =>
      bytesEqual(aggregateOf(signers.map((signer) => signatureOf(seed, signer, message))), aggregate),
    checkAccounts: async (batch) => batch.map(() => true),
  };
}
