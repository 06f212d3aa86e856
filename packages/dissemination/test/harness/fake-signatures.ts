/** Signatures by hash: a member's by its index, so only the message's epoch distinguishes two committees. */
import {
  type AccountSignature,
  checkOneByOne,
  type DistilledClaim,
  type DistilledVerifier,
  type Signer,
  type Verifier,
} from '@slipstream/ports';
import { bytesEqual, concatBytes, sha256, uint32le } from '@slipstream/primitives';

export function accountSignature(publicKey: Uint8Array, message: Uint8Array): Uint8Array {
  const half = sha256(concatBytes(publicKey, message));
  return concatBytes(half, half);
}

export function memberSignature(index: number, message: Uint8Array): Uint8Array {
  const part = sha256(concatBytes(uint32le(index), message));
  return concatBytes(part, part, part, part, part, part);
}

export function fakeSigner(index: number): Signer {
  return {
    publicKey: new Uint8Array(48).fill(index),
    sign: async (messages) => messages.map((message) => memberSignature(index, message)),
  };
}

export function fakeVerifier(seen: (batch: readonly AccountSignature[]) => void): Verifier {
  const single: Pick<Verifier, 'checkVote' | 'checkCertificate' | 'checkAggregate'> = {
    checkVote: async ({ message, signer, signature }) => bytesEqual(signature, memberSignature(signer, message)),
    checkCertificate: async ({ message, aggregate }) => bytesEqual(aggregate, fakeAggregate(message)),
    checkAggregate: async ({ message, aggregate }) => bytesEqual(aggregate, fakeAggregate(message)),
  };
  return {
    checkQuorum: async ({ message, votes }) => {
      const bad = votes.filter(({ signer, signature }) => !bytesEqual(signature, memberSignature(signer, message)));
      const offenders = bad.map(({ signer }) => signer);
      const verified = votes.map(({ signer }) => signer).filter((signer) => !offenders.includes(signer));
      const aggregate = bad.length === 0 ? fakeAggregate(message) : undefined;
      return { aggregate, offenders, verified, checks: 1, tookMs: 0 };
    },
    ...single,
    checkBatch: (batch, priority) => checkOneByOne(single, batch, priority),
    checkAccounts: async (batch) => {
      seen(batch);
      return batch.map(({ publicKey, message, signature }) =>
        bytesEqual(signature, accountSignature(publicKey, message)),
      );
    },
  };
}

export function fakeDistilledVerifier(seen: (claims: readonly DistilledClaim[]) => void): DistilledVerifier {
  return {
    async checkDistilled(claims) {
      seen(claims);
      return claims.map(({ message, keys, aggregate }) => bytesEqual(aggregate, distilledAggregate(message, keys)));
    },
  };
}

export function distilledAggregate(message: Uint8Array, keys: Uint8Array): Uint8Array {
  return fakeAggregate(concatBytes(message, keys));
}

export function fakeAggregate(message: Uint8Array): Uint8Array {
  const part = sha256(message);
  return concatBytes(part, part, part);
}
