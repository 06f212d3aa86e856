/** transferMany: transfers to several accounts, all or nothing. */
import { ContainerType, createCodec, ListCompositeType, UintBigintType } from '@slipstream/primitives';
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

/** With 33-byte keys, 100 outputs take 5 kB. */
export const TRANSFER_MANY_OUTPUTS_MAX = 100;

interface TransferOutput {
  readonly to: AccountKey;
  readonly amount: bigint;
}

export interface TransferMany {
  readonly kind: 'transferMany';
  readonly outputs: readonly TransferOutput[];
}

interface TransferManyWire {
  readonly outputs: readonly { readonly to: AccountKeyWire; readonly amount: bigint }[];
}

const outputType = new ContainerType({ to: accountKeyType, amount: new UintBigintType(8) });
const type = new ContainerType({ outputs: new ListCompositeType(outputType, TRANSFER_MANY_OUTPUTS_MAX) });

export const transferManyCodec = createCodec<TransferMany, TransferManyWire>(
  'transferMany',
  type,
  ACTION_BODY_BYTES_MAX,
  {
    toWire: ({ outputs }) => ({ outputs: outputs.map(({ to, amount }) => ({ to: accountKeyToWire(to), amount })) }),
    fromWire: ({ outputs }) => checked(outputs.map(({ to, amount }) => ({ to: accountKeyFromWire(to), amount }))),
  },
);

function checked(outputs: readonly TransferOutput[]): TransferMany {
  if (outputs.length === 0) throw new RangeError('transferMany has at least one output');
  if (outputs.length > TRANSFER_MANY_OUTPUTS_MAX) {
    throw new RangeError(`transferMany has at most ${TRANSFER_MANY_OUTPUTS_MAX} outputs`);
  }
  return { kind: 'transferMany', outputs };
}

export interface TransferManyJson {
  readonly kind: 'transferMany';
  readonly outputs: readonly { readonly to: string; readonly amount: string }[];
}

export function transferManyToJson({ outputs }: TransferMany): TransferManyJson {
  return {
    kind: 'transferMany',
    outputs: outputs.map(({ to, amount }) => ({ to: accountKeyText(to), amount: amount.toString() })),
  };
}

/** Throws RangeError with the reason. */
export function transferManyFromJson(json: TransferManyJson): TransferMany {
  return checked(json.outputs.map(({ to, amount }) => ({ to: requireAccount(to), amount: parseAmount(amount) })));
}
