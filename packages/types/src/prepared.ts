/** A prepared transaction: decoded once, for dissemination and execution. Undecodable bytes have an id too, for equal skip reports. */
import { domainPrefix, hashInDomain } from '@slipstream/primitives';
import type { TransactionId } from './ids.ts';
import { asId } from './ids.ts';
import type { AuthorityFault } from './session/check-credential.ts';
import { type CredentialReader, UNCACHED_CREDENTIALS } from './session/credential-memory.ts';
import { type Transaction, transactionCodec, transactionIdInBytes } from './transaction.ts';
import { readTransaction } from './transaction-reader.ts';

export interface DecodedTransaction {
  readonly bytes: Uint8Array;
  /** Undefined: not a transaction. */
  readonly transaction: Transaction | undefined;
  readonly id: TransactionId;
}

export interface PreparedTransaction extends DecodedTransaction {
  readonly signatureValid: boolean;
  /** Undefined: bad-signature. */
  readonly fault?: AuthorityFault | undefined;
}

const MALFORMED_DOMAIN = domainPrefix('slipstream/malformed-transaction');

/** Byte fields may share the memory of `bytes`. `credentials` saves parsing known ones. */
export function decodeTransaction(bytes: Uint8Array, credentials?: CredentialReader): DecodedTransaction {
  const transaction = transactionIn(bytes, credentials);
  if (transaction) return { bytes, transaction, id: transactionIdInBytes(bytes) };
  return { bytes, transaction: undefined, id: asId<TransactionId>(hashInDomain(MALFORMED_DOMAIN, bytes)) };
}

export function transactionIn(
  bytes: Uint8Array,
  credentials: CredentialReader = UNCACHED_CREDENTIALS,
): Transaction | undefined {
  const read = readTransaction(bytes, credentials);
  if (read !== undefined) return read;
  const decoded = transactionCodec.decode(bytes);
  return decoded.ok ? decoded.value : undefined;
}
