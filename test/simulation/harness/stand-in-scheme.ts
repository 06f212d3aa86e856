/**
 * For BLS: a "signature" is a keyed hash, and the verifier knows every key. Signatures are unique and unforgeable, and an aggregate stands
 * for exactly its signers, at a thousandth of the cost.
 */
import { checkOneByOne, type QuorumRequest, type QuorumResult, type Signer, type Verifier } from '@slipstream/ports';
import { bytesEqual, concatBytes, sha256, utf8 } from '@slipstream/primitives';
import { BLS_AGGREGATE_BYTES, BLS_PUBLIC_KEY_BYTES, BLS_SIGNATURE_BYTES } from '@slipstream/types';
import type { SignatureScheme } from './scheme.ts';

export function createStandInScheme(seed: string, members: number): SignatureScheme {
  const secrets = Array.from({ length: members }, (_, member) => sha256(utf8(`stand-in secret ${seed} ${member}`)));

  const publicKeys = secrets.map((secret) => concatBytes(sha256(secret), new Uint8Array(BLS_PUBLIC_KEY_BYTES - 32)));

  function signatureOf(member: number, message: Uint8Array): Uint8Array {
    const signature = new Uint8Array(BLS_SIGNATURE_BYTES);
    signature.set(sha256(concatBytes(secrets[member] as Uint8Array, message)));
    return signature;
  }

  function isGood(member: number, message: Uint8Array, signature: Uint8Array): boolean {
    return secrets[member] !== undefined && bytesEqual(signatureOf(member, message), signature);
  }

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

  const single: Pick<Verifier, 'checkVote' | 'checkCertificate' | 'checkAggregate'> = {
    checkVote: async (message, signer, signature) => isGood(signer, message, signature),
    checkCertificate: async ({ message, signers, aggregate }) =>
      bytesEqual(aggregateOf(signers.map((signer) => signatureOf(signer, message))), aggregate),
    checkAggregate: async () => false, // no trusted chain
  };

  return {
    name: 'stand-in',
    publicKeys,
    signer: (member): Signer => ({
      publicKey: publicKeys[member] as Uint8Array,
      sign: async (messages) => messages.map((message) => signatureOf(member, message)),
    }),
    verifier: {
      checkQuorum,
      ...single,
      checkBatch: (batch, priority) => checkOneByOne(single, batch, priority),
      checkAccounts: async (batch) => batch.map(() => true),
    },
  };
}

function aggregateOf(signatures: readonly Uint8Array[]): Uint8Array {
  const aggregate = new Uint8Array(BLS_AGGREGATE_BYTES);
  aggregate.set(sha256(concatBytes(...signatures)));
  return aggregate;
}
