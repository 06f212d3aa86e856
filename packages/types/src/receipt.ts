/** Receipts: results of transactions, leaves of the receipts root. */
import { ByteListType, ContainerType, createCodec, UintBigintType, VectorBasicType } from '@slipstream/primitives';
import type { Height, TransactionId } from './ids.ts';
import { GRANT_OUTPUT_BYTES_MAX, RECEIPT_OUTPUT_BYTES_MAX } from './limits.ts';
import { bytes32, uint8, uint32, uint53 } from './subject-wire.ts';
import { UNIT_DIMENSIONS, type Units } from './units.ts';

/** Of an action. The fee is charged; the state is otherwise unchanged. Codes are never reused. */
export const FAILURE_CODES = {
  'insufficient-balance': 1,
  'balance-overflow': 2,
  'not-a-device': 3,
  'device-known': 4,
  'device-unknown': 5,
  'device-limit': 6,
  'last-device': 7,
  /** The same grant exists. */
  'session-exists': 8,
  'session-unknown': 9,
  /** In the past or too far in the future. */
  'session-expiry': 10,
  'output-too-long': 11,
  /** Neither an administrator, nor an operator where those decide. */
  'not-a-governor': 12,
  'proposal-unknown': 13,
  /** Too many are open. */
  'proposal-limit': 14,
  /** Too far in the future. */
  'proposal-time': 15,
  'already-approved': 16,
  'not-approved': 17,
  /** A validator has it, or had it. */
  'key-used': 18,
  'key-unknown': 19,
  /** Not a member of the committee. */
  'validator-unknown': 20,
  'weight-bounds': 21,
  'parameters-unsound': 22,
  /** Not above the current one. */
  'version-bounds': 23,
  'not-the-operator': 24,
  'already-leaving': 25,
  /** Of an earlier epoch. */
  'ready-stale': 26,
  /** The BLS key belongs to another network key. */
  'wrong-peer-key': 27,
  /** The key was retired too long ago. */
  'evidence-expired': 28,
  'already-reported': 29,
  /** Its root key is not trusted. */
  'issuer-unknown': 30,
  /** Not by the committee that the state knows. */
  'issuer-stale': 31,
  /** The first handover of an issuer needs an unexpired certificate of its root key. */
  'issuer-unproven': 32,
  /** The chain has none. */
  'no-directory': 33,
  'directory-full': 34,
  /** Of a block. */
  'registration-limit': 35,
  /** Applications (applications.md): the chain has none of this name. */
  'application-unknown': 36,
  /** The application has no action of this number. */
  'call-unknown': 37,
  /** Not a value of the action's form. */
  'bad-input': 38,
  /** By the application's own rules: the output has its text. */
  'application-failed': 39,
  /** The application threw something else. */
  'application-fault': 40,
  /** It accessed an entry that it had not declared. */
  'undeclared-key': 41,
  /** Of reads, writes or bytes that it declared; a value is too long. */
  'out-of-units': 42,
  'out-of-compute': 43,
  /** Of all transactions of the block. */
  'block-output-full': 44,
  /** The coins that the call collects are above what the session may still spend. */
  'session-limit': 45,
} as const;
export type FailureCode = keyof typeof FAILURE_CODES;

/** No effect on the state. Codes are never reused. */
export const SKIP_REASONS = {
  malformed: 1,
  'bad-signature': 2,
  'wrong-genesis': 3,
  expired: 4,
  'expiry-too-far': 5,
  duplicate: 6,
  'fee-not-covered': 7,
  'max-fee-too-low': 8,
  'chunk-duplicate': 9,
  /** Sessions (session/check-credential.ts): by credential, state record or block time. */
  'session-expired': 10,
  'session-out-of-scope': 11,
  'session-unknown-issuer': 12,
  'session-foreign-chain': 13,
  'session-broken-path': 14,
  'session-truncated-proof': 15,
  'session-wrong-committee': 16,
  'session-bad-certificate': 17,
  'session-replayed-grant': 18,
  'session-wrong-account': 19,
  'session-wrong-key': 20,
  'session-unknown': 21,
  'session-revoked': 22,
  'session-spend-limit': 23,
  'session-committee-expired': 24,
  /** Signatures of validators' keys (epochs/key-signatures.ts). */
  'bad-possession': 25,
  'bad-readiness': 26,
  'bad-evidence': 27,
  'no-contradiction': 28,
  'bad-handover': 29,
  /** Rows and batches of them (packages/distilled). */
  'sequence-used': 30,
  'index-retired': 31,
  'known-at-bounds': 32,
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

export type Outcome =
  | { readonly status: 'success' }
  | { readonly status: 'failed'; readonly code: FailureCode; readonly action: number };

export interface Receipt {
  readonly transactionId: TransactionId;
  readonly outcome: Outcome;
  /** At most 2,048 bytes (session/receipt-output.ts). */
  readonly output: Uint8Array;
  readonly fee: bigint;
  readonly units: Units;
  readonly height: Height;
  /** Among its block's receipts. */
  readonly index: number;
}

interface ReceiptWire extends Omit<Receipt, 'outcome'> {
  readonly code: number;
  readonly action: number;
}

const receiptType = new ContainerType({
  transactionId: bytes32,
  code: uint8,
  action: uint8,
  output: new ByteListType(RECEIPT_OUTPUT_BYTES_MAX),
  fee: new UintBigintType(8),
  units: new VectorBasicType(uint53, UNIT_DIMENSIONS.length),
  height: uint53,
  index: uint32,
});

const CODE_NAMES = new Map(Object.entries(FAILURE_CODES).map(([name, code]) => [code as number, name as FailureCode]));

function outcomeFromWire(code: number, action: number): Outcome {
  if (code === 0) {
    if (action !== 0) throw new RangeError('a success names no action');
    return { status: 'success' };
  }
  const name = CODE_NAMES.get(code);
  if (name === undefined) throw new RangeError(`unknown failure code ${code}`);
  return { status: 'failed', code: name, action };
}

/** Without decoding: SSZ puts both first. */
export function receiptHeadInBytes(receipt: Uint8Array): { readonly id: Uint8Array; readonly success: boolean } {
  return { id: receipt.subarray(0, ID_BYTES), success: receipt[ID_BYTES] === 0 };
}

const ID_BYTES = 32;

export const RECEIPT_BYTES_MAX = receiptType.maxSize;
/** Of a transaction that grants a session. */
export const GRANT_RECEIPT_BYTES_MAX = RECEIPT_BYTES_MAX - RECEIPT_OUTPUT_BYTES_MAX + GRANT_OUTPUT_BYTES_MAX;

export const receiptCodec = createCodec<Receipt, ReceiptWire>('receipt', receiptType, RECEIPT_BYTES_MAX, {
  toWire: ({ outcome, ...rest }) => ({
    ...rest,
    code: outcome.status === 'success' ? 0 : FAILURE_CODES[outcome.code],
    action: outcome.status === 'success' ? 0 : outcome.action,
  }),
  fromWire: ({ code, action, ...rest }) => ({ ...rest, outcome: outcomeFromWire(code, action) }),
});
