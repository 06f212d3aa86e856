/**
 * A prepared transaction: its bytes, decoded once, with its id. What dissemination keeps and execution takes.
 *
 * A producer may pack any bytes. What cannot be decoded still has a name, so that every node reports the same skip.
 */
import { domainPrefix, hashInDomain } from '@slipstream/primitives';
import type { TransactionId } from './ids.ts';
import { asId } from './ids.ts';
import { AUTH_TAGS } from './session/auth.ts';
import type { AuthorityFault } from './session/check-credential.ts';
import { type Transaction, transactionCodec, transactionIdInBytes } from './transaction.ts';
import { readTransaction } from './transaction-reader.ts';

export interface DecodedTransaction {
  readonly bytes: Uint8Array;
  /** Undefined when the bytes are not a transaction. */
  readonly transaction: Transaction | undefined;
  readonly id: TransactionId;
}

export interface PreparedTransaction extends DecodedTransaction {
  readonly signatureValid: boolean;
  /** What is wrong when it is not valid; without it: bad-signature. */
  readonly fault?: AuthorityFault | undefined;
}

const MALFORMED_DOMAIN = domainPrefix('slipstream/malformed-transaction');

/** Decodes one transaction. Its byte fields may share the memory of `bytes`. */
export function decodeTransaction(bytes: Uint8Array): DecodedTransaction {
  const read = readTransaction(bytes, AUTH_TAGS.ed25519);
  if (read !== undefined) return { bytes, transaction: read, id: transactionIdInBytes(bytes) };
  const decoded = transactionCodec.decode(bytes);
  if (!decoded.ok) {
    return { bytes, transaction: undefined, id: asId<TransactionId>(hashInDomain(MALFORMED_DOMAIN, bytes)) };
  }
  return { bytes, transaction: decoded.value, id: transactionIdInBytes(bytes) };
}
