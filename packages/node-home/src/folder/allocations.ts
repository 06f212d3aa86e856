/** Initial balances of accounts, from a file: each line has an account and an amount. */
import { accountKeyText, GENESIS_ALLOCATIONS_MAX, type Genesis, parseAccountKey } from '@slipstream/types';

type Allocations = Genesis['allocations'];

const AMOUNT = /^[0-9]{1,20}$/;
const AMOUNT_MAX = 2n ** 64n - 1n;
/** Further faults would hide the first. */
const FAULTS_MAX = 10;

/** Empty lines are skipped. Faults name their lines. */
export function parseAllocations(text: string): {
  readonly allocations: Allocations;
  readonly faults: readonly string[];
} {
  const allocations = new Map<string, Allocations[number]>();
  const faults: string[] = [];
  let sum = 0n;
  for (const [at, line] of text.split('\n').entries()) {
    const [name = '', amount = '', ...rest] = line.trim().split(/\s+/);
    if (name === '') continue;
    const parsed = parseAccountKey(name);
    if (!parsed.ok) faults.push(`line ${at + 1}: ${parsed.error}`);
    else if (rest.length > 0 || !AMOUNT.test(amount))
      faults.push(`line ${at + 1}: must be an account and a whole number`);
    else if (allocations.has(accountKeyText(parsed.value))) faults.push(`line ${at + 1}: ${name} is named before`);
    else {
      allocations.set(accountKeyText(parsed.value), { account: parsed.value, balance: BigInt(amount) });
      sum += BigInt(amount);
    }
  }
  if (sum > AMOUNT_MAX) faults.push(`together they own ${sum}: it must be below 2^64`);
  if (allocations.size > GENESIS_ALLOCATIONS_MAX)
    faults.push(`there are more than ${GENESIS_ALLOCATIONS_MAX} accounts`);
  return { allocations: [...allocations.values()], faults: faults.slice(0, FAULTS_MAX) };
}
