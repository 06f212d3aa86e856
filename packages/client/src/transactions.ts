/** The id is the hash of the body, so it is known before submission. */
import { ed25519Sign } from '@slipstream/crypto/browser';
import { to0x } from '@slipstream/primitives';
import { transactionToJson } from '@slipstream/schema';
import {
  type AccountKey,
  type Action,
  type GenesisHash,
  parseAccountKey,
  type Transaction,
  type TransactionBody,
  type TransactionId,
  transactionCodec,
  transactionIdOf,
} from '@slipstream/types';
import { ClientError } from './errors.ts';
import type { KeyPair } from './keys.ts';

const SALT_BYTES = 8;

export interface TransactionParts {
  readonly genesisHash: GenesisHash;
  readonly sender: AccountKey;
  /** 1 to 16. */
  readonly actions: readonly Action[];
  /** ms since 1970; at most 60 s ahead. */
  readonly expiryMs: number;
  /** The most to be charged. Default 0: enough where prices are zero. */
  readonly maxFee?: bigint;
  /** 8 bytes that make equal transactions distinct; default random. */
  readonly salt?: Uint8Array;
}

export interface SignedTransaction {
  /** 0x and 64 hexadecimal digits. */
  readonly id: string;
  readonly transactionId: TransactionId;
  readonly transaction: Transaction;
  readonly bytes: Uint8Array;
}

export function buildTransaction(parts: TransactionParts): TransactionBody {
  return {
    genesisHash: parts.genesisHash,
    sender: parts.sender,
    expiryMs: parts.expiryMs,
    salt: parts.salt ?? globalThis.crypto.getRandomValues(new Uint8Array(SALT_BYTES)),
    maxFee: parts.maxFee ?? 0n,
    actions: parts.actions,
  };
}

/** Throws ClientError `bad-argument` when it cannot be serialized. */
export function signTransaction(body: TransactionBody, { secret }: Pick<KeyPair, 'secret'>): SignedTransaction {
  try {
    const transactionId = transactionIdOf(body);
    return encodeSigned({ body, auth: { scheme: 'ed25519', signature: ed25519Sign(transactionId, secret) } });
  } catch (cause) {
    throw unsignable(cause);
  }
}

/** Throws ClientError `bad-argument` when it cannot be serialized. */
export function encodeSigned(transaction: Transaction): SignedTransaction {
  try {
    const transactionId = transactionIdOf(transaction.body);
    const bytes = transactionCodec.encode(transaction);
    checkReadsBack(bytes, transaction);
    return { id: to0x(transactionId), transactionId, transaction, bytes };
  } catch (cause) {
    throw unsignable(cause);
  }
}

function unsignable(cause: unknown): ClientError {
  if (cause instanceof ClientError) return cause;
  return new ClientError('bad-argument', `the transaction cannot be signed: ${String(cause)}`, {}, cause);
}

/** Encoding truncates integers, so one out of range would be signed as another. Decoding reveals that. */
function checkReadsBack(bytes: Uint8Array, transaction: Transaction): void {
  const decoded = transactionCodec.decode(bytes);
  if (!decoded.ok) throw new RangeError(decoded.error.message);
  const textOf = (value: Transaction) => JSON.stringify(transactionToJson(value));
  if (textOf(decoded.value) !== textOf(transaction)) throw new RangeError('an integer is out of its range');
}

/** `to`: text of an account. Throws ClientError `bad-argument`. */
export function transfer(to: string, amount: bigint): Action {
  const parsed = parseAccountKey(to);
  if (!parsed.ok) throw new ClientError('bad-argument', `"${to.slice(0, 80)}" is no account: ${parsed.error}`);
  return { kind: 'transfer', to: parsed.value, amount };
}
