import { ContainerType, createCodec, UintBigintType } from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyText,
  accountKeyToWire,
  accountKeyType,
} from '../../src/account.ts';
import { parseAmount, requireAccount } from '../../src/actions/json.ts';
import { ACTION_BODY_BYTES_MAX } from '../../src/limits.ts';

export interface Transfer {
  readonly kind: 'transfer';
  readonly to: AccountKey;
  readonly amount: bigint;
}

interface TransferWire {
  readonly to: AccountKeyWire;
  readonly amount: bigint;
}

const type = new ContainerType({ to: accountKeyType, amount: new UintBigintType(8) });

export const transferCodec = createCodec<Transfer, TransferWire>('transfer', type, ACTION_BODY_BYTES_MAX, {
  toWire: ({ to, amount }) => ({ to: accountKeyToWire(to), amount }),
  fromWire: ({ to, amount }) => ({ kind: 'transfer', to: accountKeyFromWire(to), amount }),
});

export interface TransferJson {
  readonly kind: 'transfer';
  readonly to: string;
  readonly amount: string;
}

export function transferToJson({ to, amount }: Transfer): TransferJson {
  return { kind: 'transfer', to: accountKeyText(to), amount: amount.toString() };
}

/** Throws RangeError with the reason. */
export function transferFromJson(json: TransferJson): Transfer {
  return { kind: 'transfer', to: requireAccount(json.to), amount: parseAmount(json.amount) };
}
