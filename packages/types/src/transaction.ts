/**
 * Transactions. Signed id: SHA-256(domain || serialization without auth). No nonce: a transaction is valid once, until expiryMs
 * (dissemination.md, "Transaction").
 */
import {
  ByteListType,
  ByteVectorType,
  ContainerType,
  createCodec,
  domainPrefix,
  hashInDomain,
  ListCompositeType,
  UintBigintType,
} from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyToWire,
  accountKeyType,
} from './account.ts';
import { type ActionWire, actionFromWire, actionToWire } from './actions/forms.ts';
import type { Action } from './actions/index.ts';
import type { GenesisHash, TransactionId } from './ids.ts';
import { asId } from './ids.ts';
import { ACTION_BODY_BYTES_MAX, ACTIONS_MAX, AUTH_BYTES_MAX, TRANSACTION_BYTES_MAX } from './limits.ts';
import { type AuthWire, authFromWire, authToWire, type TransactionAuth } from './session/auth.ts';
import { bytes32, uint8, uint53 } from './subject-wire.ts';

export interface TransactionBody {
  readonly genesisHash: GenesisHash;
  readonly sender: AccountKey;
  /** ms since 1970; at most 60 s after the including block's timestamp. */
  readonly expiryMs: number;
  /** 8 bytes that distinguish equal transactions. */
  readonly salt: Uint8Array;
  /** Reserved; the rest is returned. */
  readonly maxFee: bigint;
  /** 1 to 16. */
  readonly actions: readonly Action[];
}

export interface Transaction {
  readonly body: TransactionBody;
  readonly auth: TransactionAuth;
}

export const SALT_BYTES = 8;

interface BodyWire extends Omit<TransactionBody, 'sender' | 'actions'> {
  readonly sender: AccountKeyWire;
  readonly actions: readonly ActionWire[];
}

interface TransactionWire {
  readonly body: BodyWire;
  readonly auth: AuthWire;
}

const actionType = new ContainerType({ tag: uint8, body: new ByteListType(ACTION_BODY_BYTES_MAX) });

const bodyType = new ContainerType({
  genesisHash: bytes32,
  sender: accountKeyType,
  expiryMs: uint53,
  salt: new ByteVectorType(SALT_BYTES),
  maxFee: new UintBigintType(8),
  actions: new ListCompositeType(actionType, ACTIONS_MAX),
});

const transactionType = new ContainerType({
  body: bodyType,
  auth: new ContainerType({ tag: uint8, bytes: new ByteListType(AUTH_BYTES_MAX) }),
});

function bodyToWire(body: TransactionBody): BodyWire {
  return { ...body, sender: accountKeyToWire(body.sender), actions: body.actions.map(actionToWire) };
}

function bodyFromWire(wire: BodyWire): TransactionBody {
  if (wire.actions.length === 0) throw new RangeError('a transaction has at least one action');
  return { ...wire, sender: accountKeyFromWire(wire.sender), actions: wire.actions.map(actionFromWire) };
}

const transactionBodyCodec = createCodec<TransactionBody, BodyWire>(
  'transaction body',
  bodyType,
  TRANSACTION_BYTES_MAX,
  { toWire: bodyToWire, fromWire: bodyFromWire },
);

export const transactionCodec = createCodec<Transaction, TransactionWire>(
  'transaction',
  transactionType,
  TRANSACTION_BYTES_MAX,
  {
    toWire: ({ body, auth }) => ({
      body: bodyToWire(body),
      auth: authToWire(auth),
    }),
    fromWire: ({ body, auth }) => {
      const decoded = bodyFromWire(body);
      return { body: decoded, auth: authFromWire(auth, decoded.sender.scheme) };
    },
  },
);

const TRANSACTION_DOMAIN = domainPrefix('slipstream/transaction');

/** A session key signs a message that includes it (session/authority-message.ts). */
export function transactionIdOf(body: TransactionBody): TransactionId {
  return asId<TransactionId>(hashInDomain(TRANSACTION_DOMAIN, transactionBodyCodec.encode(body)));
}

/** The body's start, and the place of its end's offset. */
const BODY_AT = 8;
const BODY_END_AT = 4;

/** From canonical bytes; hashes the body in place. */
export function transactionIdInBytes(transaction: Uint8Array): TransactionId {
  const end = uint32At(transaction, BODY_END_AT);
  const body = new Uint8Array(transaction.buffer, transaction.byteOffset + BODY_AT, end - BODY_AT);
  return asId<TransactionId>(hashInDomain(TRANSACTION_DOMAIN, body));
}

function uint32At(bytes: Uint8Array, at: number): number {
  const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]] as [number, number, number, number];
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}
