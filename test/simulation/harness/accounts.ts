/** Accounts of simulated clients. A signature is a keyed hash (stand-in-scheme.ts). */
import type { AccountSignature } from '@slipstream/ports';
import { bytesEqual, concatBytes, sha256, uint32le, utf8 } from '@slipstream/primitives';
import {
  type AccountKey,
  type Action,
  addUnits,
  type DecodedTransaction,
  ed25519Account,
  type GenesisHash,
  type Transaction,
  transactionCodec,
  transactionIdOf,
  type Units,
} from '@slipstream/types';

export interface TransactionForm {
  readonly genesisHash: GenesisHash;
  readonly account: number;
  readonly expiryMs: number;
  /** 8 bytes. */
  readonly salt: Uint8Array;
  readonly data?: Uint8Array;
  /** Default: the data is set. */
  readonly actions?: readonly Action[];
  readonly badSignature?: boolean;
  /** Default: 0. */
  readonly maxFee?: bigint;
}

const UNITS_OF_AN_ACTION: Units = [0, 10, 10, 10, 10];

export function unitsOf(transaction: Transaction | undefined, bytes: number): Units {
  const actions = transaction?.body.actions.length ?? 0;
  return addUnits(
    [bytes, 0, 0, 0, 0],
    UNITS_OF_AN_ACTION.map((units) => actions * units),
  );
}

/** 64 bytes. */
export const accountSignature = (account: number, message: Uint8Array): Uint8Array =>
  signatureOf(publicKeyOf(account), message);

function signatureOf(publicKey: Uint8Array, message: Uint8Array): Uint8Array {
  const half = sha256(concatBytes(utf8('account'), publicKey, message));
  return concatBytes(half, half);
}

const publicKeyOf = (account: number) => sha256(uint32le(account));

export const accountKeyOf = (account: number): AccountKey => ed25519Account(publicKeyOf(account));

/** Serialized. */
export function transactionBytes({ account, genesisHash, expiryMs, salt, ...form }: TransactionForm): Uint8Array {
  const publicKey = publicKeyOf(account);
  const body = {
    genesisHash,
    expiryMs,
    salt,
    sender: accountKeyOf(account),
    maxFee: form.maxFee ?? 0n,
    actions: form.actions ?? [{ kind: 'setData', name: 'n', value: form.data ?? new Uint8Array(0) } as const],
  };
  const signature = form.badSignature ? new Uint8Array(64) : signatureOf(publicKey, transactionIdOf(body));
  return transactionCodec.encode({ body, auth: { scheme: 'ed25519', signature } });
}

export async function checkAccounts(batch: readonly AccountSignature[]): Promise<readonly boolean[]> {
  return batch.map(({ publicKey, message, signature }) => bytesEqual(signature, signatureOf(publicKey, message)));
}

/** Independent of the production check. */
export function isSigned({ transaction, id }: DecodedTransaction): boolean {
  if (transaction?.auth.scheme !== 'ed25519') return false;
  return bytesEqual(transaction.auth.signature, signatureOf(transaction.body.sender.bytes, id));
}
