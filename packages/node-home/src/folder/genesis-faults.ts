/** Genesis values that are valid one by one, but make a chain unusable together. */
import {
  AMOUNT_MAX,
  asId,
  ED25519_PUBLIC_KEY_BYTES,
  ED25519_SIGNATURE_BYTES,
  ed25519Account,
  feeOf,
  type Genesis,
  type GenesisHash,
  ID_BYTES,
  SALT_BYTES,
  type Transaction,
  transactionCodec,
  UNIT_DIMENSIONS,
  type Units,
  unitsOf,
} from '@slipstream/types';

/** One line per fault: "<field>: <what is wrong, and what to do>". */
export function genesisFaults(genesis: Pick<Genesis, 'allocations' | 'generated' | 'fees'>): readonly string[] {
  const { allocations, generated, fees } = genesis;
  const listed = allocations.reduce((sum, { balance }) => sum + balance, 0n);
  const supply = listed + BigInt(generated.count) * generated.balance;
  if (supply > AMOUNT_MAX) {
    return [
      `allocations: with the generated accounts they own ${supply}, at most ${AMOUNT_MAX} is allowed: lower them`,
    ];
  }
  return [...limitFaults(fees), ...targetFaults(fees), ...priceFaults(fees, supply)];
}

function limitFaults({ limits }: Genesis['fees']): readonly string[] {
  const needed = plainTransferUnits();
  return UNIT_DIMENSIONS.flatMap((dimension, i) => {
    const [limit, least] = [limits[i] as number, needed[i] as number];
    if (limit >= least) return [];
    return [`fees.limits[${i}]: is ${limit}, a plain transfer takes ${least} (${dimension}): no block could hold one`];
  });
}

/** A price falls while usage is below its target, so a target of zero never lets it fall. */
function targetFaults({ targets, initialPrices, minimumPrices }: Genesis['fees']): readonly string[] {
  return UNIT_DIMENSIONS.flatMap((dimension, i) => {
    const isFree = initialPrices[i] === 0n && minimumPrices[i] === 0n;
    if (isFree || targets[i] !== 0) return [];
    return [`fees.targets[${i}]: is 0: the price of ${dimension} could only rise, with every transaction`];
  });
}

function priceFaults({ minimumPrices }: Genesis['fees'], supply: bigint): readonly string[] {
  const fee = feeOf(plainTransferUnits(), minimumPrices);
  if (fee <= supply) return [];
  const remedy = 'name accounts that own more (allocations), or lower the prices';
  return [
    `fees.minimumPrices: a plain transfer costs ${fee} at least, and all accounts together own ${supply}, so that no account could ever pay: ${remedy}`,
  ];
}

function plainTransferUnits(): Units {
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
