/** Fee parameters that are valid one by one, but make a chain unusable together. */
import { ed25519Account } from '../account.ts';
import { unitsOf } from '../fee-units.ts';
import type { GenesisHash } from '../ids.ts';
import { asId, ID_BYTES } from '../ids.ts';
import { ED25519_PUBLIC_KEY_BYTES, ED25519_SIGNATURE_BYTES } from '../limits.ts';
import { SALT_BYTES, type Transaction, transactionCodec } from '../transaction.ts';
import { UNIT_DIMENSIONS, type Units } from '../units.ts';
import type { FeeParameters } from './parameters.ts';

/** One line per fault: "fees.<field>: <what is wrong, and what to do>". */
export function feeFaults(fees: FeeParameters): readonly string[] {
  return [...windowFaults(fees), ...limitFaults(fees), ...targetFaults(fees)];
}

function windowFaults({ windowBlocks }: FeeParameters): readonly string[] {
  return windowBlocks > 0 ? [] : ['fees.windowBlocks: is 0: a window has at least one block'];
}

function limitFaults({ limits }: FeeParameters): readonly string[] {
  const needed = plainTransferUnits();
  return UNIT_DIMENSIONS.flatMap((dimension, i) => {
    const [limit, least] = [limits[i] as number, needed[i] as number];
    if (limit >= least) return [];
    return [`fees.limits[${i}]: is ${limit}, a plain transfer takes ${least} (${dimension}): no block could hold one`];
  });
}

/** A price falls while usage is below its target, so a target of zero never lets it fall. */
function targetFaults({ targets, initialPrices, minimumPrices }: FeeParameters): readonly string[] {
  return UNIT_DIMENSIONS.flatMap((dimension, i) => {
    const isFree = initialPrices[i] === 0n && minimumPrices[i] === 0n;
    if (isFree || targets[i] !== 0) return [];
    return [`fees.targets[${i}]: is 0: the price of ${dimension} could only rise, with every transaction`];
  });
}

/** The smallest useful transaction. */
export function plainTransferUnits(): Units {
  const account = ed25519Account(new Uint8Array(ED25519_PUBLIC_KEY_BYTES));
  const transaction: Transaction = {
    body: {
      genesisHash: asId<GenesisHash>(new Uint8Array(ID_BYTES)),
      sender: account,
      expiryMs: 0,
      salt: new Uint8Array(SALT_BYTES),
      maxFee: 0n,
      actions: [{ kind: 'transfer', to: account, amount: 1n }],
    },
    auth: { scheme: 'ed25519', signature: new Uint8Array(ED25519_SIGNATURE_BYTES) },
  };
  return unitsOf(transaction, transactionCodec.encode(transaction).length);
}
