/**
 * For BLS: a "signature" is a keyed hash, and the verifier knows every key. Signatures are unique and unforgeable, and an aggregate stands
 * for exactly its signers, at a thousandth of the cost.
 */
import { createBlsSigner, generateBlsSecretKey } from '@slipstream/crypto/native';
import {
  checkOneByOne,
  type DistilledClaim,
  type QuorumRequest,
  type QuorumResult,
  type Verifier,
} from '@slipstream/ports';
import { assert, bytesEqual, concatBytes, sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  BLS_AGGREGATE_BYTES,
  BLS_PUBLIC_KEY_BYTES,
  BLS_SIGNATURE_BYTES,
  BLS_UNCOMPRESSED_KEY_BYTES,
  GENESIS_EPOCH,
} from '@slipstream/types';
import { uncompressedKey } from '../../../packages/crypto/test/bls-points.ts';
import type { AccountSigner, SignatureScheme } from './scheme.ts';

interface KeyPair {
  readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
}

export function createStandInScheme(seed: string, members: number): SignatureScheme {
  const secrets = new Map<string, Uint8Array>();
  const pairs = Array.from({ length: members }, (_, member) => pairOf(member));
  const publicKeys = pairs.map(({ publicKey }) => publicKey);
  /** Secrets in the committee's order. */
  const committees = new Map<number, readonly Uint8Array[]>();
  addCommittee(GENESIS_EPOCH, publicKeys);

  function pairOf(key: number): KeyPair {
    const secret = sha256(utf8(`stand-in secret ${seed} ${key}`));
    const publicKey = new Uint8Array(BLS_PUBLIC_KEY_BYTES);
    publicKey.set(sha256(secret));
    secrets.set(toHex(publicKey), secret);
    return { secret, publicKey };
  }

  /** A registration is refused unless its key is on the curve. */
  function accountSigner(account: number): AccountSigner {
    const secret = sha256(utf8(`stand-in account ${seed} ${account}`));
    const { publicKey } = createBlsSigner(generateBlsSecretKey(secret));
    const blsKey = uncompressedKey(publicKey);
    for (const key of [publicKey, blsKey]) secrets.set(toHex(key), secret);
    return { blsKey, share: (message) => signatureOf(secret, message) };
  }

  function addCommittee(epoch: number, keys: readonly Uint8Array[]): void {
    const known = keys.map((key) => secrets.get(toHex(key)));
    assert(
      known.every((secret) => secret !== undefined),
      'a committee’s keys are of this scheme',
    );
    committees.set(epoch, known);
  }

  function isGood(epoch: number, member: number, message: Uint8Array, signature: Uint8Array): boolean {
    const secret = committees.get(epoch)?.[member];
    return secret !== undefined && bytesEqual(signatureOf(secret, message), signature);
  }

  async function checkQuorum({ epoch, message, votes }: QuorumRequest): Promise<QuorumResult> {
    assert(committees.has(epoch), 'a quorum is of a known committee');
    const offenders = votes.filter(({ signer, signature }) => !isGood(epoch, signer, message, signature));
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
    checkVote: async ({ epoch, message, signer, signature }) => isGood(epoch, signer, message, signature),
    async checkCertificate({ epoch, message, signers, aggregate }) {
      return isAggregate(
        signers.map((signer) => committees.get(epoch)?.[signer]),
        message,
        aggregate,
      );
    },
    checkAggregate: async ({ message, publicKeys, aggregate }) =>
      isAggregate(
        publicKeys.map((key) => secrets.get(toHex(key))),
        message,
        aggregate,
      ),
  };

  async function checkDistilled(claims: readonly DistilledClaim[]): Promise<readonly boolean[]> {
    return claims.map(({ message, keys, aggregate }) => {
      const count = keys.length / BLS_UNCOMPRESSED_KEY_BYTES;
      const keyAt = (i: number) => keys.subarray(i * BLS_UNCOMPRESSED_KEY_BYTES, (i + 1) * BLS_UNCOMPRESSED_KEY_BYTES);
      const found = Array.from({ length: count }, (_, i) => secrets.get(toHex(keyAt(i))));
      return isAggregate(found, message, aggregate);
    });
  }

  return {
    name: 'stand-in',
    publicKeys,
    signer(key) {
      const { secret, publicKey } = pairs[key] ?? pairOf(key);
      return { publicKey, sign: async (messages) => messages.map((message) => signatureOf(secret, message)) };
    },
    signAction(key, message) {
      const { secret } = pairs[key] ?? pairOf(key);
      return aggregateOf([signatureOf(secret, message)]);
    },
    verifier: {
      checkQuorum,
      ...single,
      checkBatch: (batch, priority) => checkOneByOne(single, batch, priority),
      checkAccounts: async (batch) => batch.map(() => true),
    },
    distilled: { checkDistilled },
    accountSigner,
    aggregate: aggregateOf,
    addCommittee,
    dropCommittee: (epoch) => void committees.delete(epoch),
  };
}

function signatureOf(secret: Uint8Array, message: Uint8Array): Uint8Array {
  const signature = new Uint8Array(BLS_SIGNATURE_BYTES);
  signature.set(sha256(concatBytes(secret, message)));
  return signature;
}

function isAggregate(keys: readonly (Uint8Array | undefined)[], message: Uint8Array, aggregate: Uint8Array): boolean {
  if (!keys.every((key) => key !== undefined)) return false;
  return bytesEqual(aggregateOf(keys.map((key) => signatureOf(key, message))), aggregate);
}

function aggregateOf(signatures: readonly Uint8Array[]): Uint8Array {
  const aggregate = new Uint8Array(BLS_AGGREGATE_BYTES);
  aggregate.set(sha256(concatBytes(...signatures)));
  return aggregate;
}
