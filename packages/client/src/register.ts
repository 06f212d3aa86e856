/** The account directory: registers a BLS key, and reads entries with their proofs. */
import { blsSign, blsUncompressedKey, newBlsSecret } from '@slipstream/crypto/browser';
import {
  type AccountKey,
  accountKeyText,
  type GenesisHash,
  type Register,
  registrationMessage,
} from '@slipstream/types';
import type { CallOptions } from './call-options.ts';
import type { Client } from './client.ts';
import { ClientError } from './errors.ts';
import { verifyDirectoryProof } from './verify-directory.ts';

export interface BlsKeyPair {
  /** 32 bytes. */
  readonly secret: Uint8Array;
  /** 96 bytes, uncompressed, as in the directory. */
  readonly publicKey: Uint8Array;
}

/** Throws ClientError `bad-argument` unless 32 bytes of a number in [1, r). */
export function blsKeyPairFrom(secret: Uint8Array): BlsKeyPair {
  try {
    return { secret, publicKey: blsUncompressedKey(secret) };
  } catch (cause) {
    throw new ClientError('bad-argument', cause instanceof Error ? cause.message : String(cause), {}, cause);
  }
}

/** By the platform's generator (browsers, workers, Node). */
export function generateBlsKeyPair(): BlsKeyPair {
  return blsKeyPairFrom(newBlsSecret());
}

/** Action that enters `account`, the sender, with the key. The proof holds for this account and chain only. */
export function register(
  { secret, publicKey: blsKey }: BlsKeyPair,
  { account, genesisHash }: { readonly account: AccountKey; readonly genesisHash: GenesisHash },
): Register {
  return { kind: 'register', blsKey, proof: blsSign(registrationMessage(genesisHash, account, blsKey), secret) };
}

/** A certified entry. `certifiedHeight`: height of the certificate. */
interface ProvenEntry {
  readonly proven: true;
  readonly index: number;
  readonly account: string;
  /** 96 bytes. */
  readonly blsKey: Uint8Array;
  readonly certifiedHeight: number;
}

/**
 * Reads and verifies in one call. `entry`: index, or account (its newest, by the node's word). `chain`: as for verifyDirectoryProof. Throws
 * ClientError `entry-unknown`, `proof-not-ready`, or `malformed-answer` when the proof does not hold or is of another entry.
 */
export async function readProvenEntry(
  client: Pick<Client, 'directory'>,
  entry: number | string,
  chain: unknown,
  options?: CallOptions,
): Promise<ProvenEntry> {
  const answer = await client.directory(entry, options);
  const verified = verifyDirectoryProof(answer.ssz, chain);
  if (!verified.ok) throw new ClientError('malformed-answer', `the entry is not proven: ${verified.error}`, { entry });
  const { index, entry: found, certificate } = verified.value;
  const account = accountKeyText(found.account);
  if (String(entry).toLowerCase() !== account && String(entry) !== String(index)) {
    const message = `the proof is of entry ${index}, account ${account}, not of ${entry}`;
    throw new ClientError('malformed-answer', message, { entry });
  }
  return { proven: true, index, account, blsKey: found.blsKey, certifiedHeight: certificate.subject.height };
}
