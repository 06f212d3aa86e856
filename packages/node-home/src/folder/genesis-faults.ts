/** Genesis values that are valid one by one, but make a chain unusable together. */
import { AMOUNT_MAX, bindsNameAlone, feeFaults, feeOf, type Genesis, plainTransferUnits } from '@slipstream/types';

/** One line per fault: "<field>: <what is wrong, and what to do>". */
export function genesisFaults(
  genesis: Pick<Genesis, 'allocations' | 'generated' | 'fees' | 'applications' | 'development'>,
): readonly string[] {
  const { allocations, generated, fees } = genesis;
  const listed = allocations.reduce((sum, { balance }) => sum + balance, 0n);
  const supply = listed + BigInt(generated.count) * generated.balance;
  if (supply > AMOUNT_MAX) {
    return [
      `allocations: with the generated accounts they own ${supply}, at most ${AMOUNT_MAX} is allowed: lower them`,
    ];
  }
  return [...feeFaults(fees), ...priceFaults(fees, supply), ...bindingFaults(genesis)];
}

function bindingFaults({ applications = [], development }: Pick<Genesis, 'applications' | 'development'>) {
  if (development) return [];
  return applications
    .filter(bindsNameAlone)
    .map(
      ({ name }) =>
        `applications: ${name} has no hash, which development chains alone may leave open: name its artifact`,
    );
}

function priceFaults({ minimumPrices }: Genesis['fees'], supply: bigint): readonly string[] {
  const fee = feeOf(plainTransferUnits(), minimumPrices);
  if (fee <= supply) return [];
  const remedy = 'name accounts that own more (allocations), or lower the prices';
  return [
    `fees.minimumPrices: a plain transfer costs ${fee} at least, and all accounts together own ${supply}, so that no account could ever pay: ${remedy}`,
  ];
}
