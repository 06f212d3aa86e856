/** The token: transfers, allowances, and transfers by them. The supply stays. */
import { ACCOUNTS, entryOf, example, openAlone, requireEqual, type SimulatedCalls, textOf } from './simulated-calls.ts';

const SUPPLY = 1_000n;
const BALANCES = 0;

/** All tokens belong to account 1 at first. */
export async function tokenCalls(): Promise<SimulatedCalls> {
  const token = await example('token');
  return {
    genesis: [token.inGenesis({ holders: [{ owner: textOf(1), value: SUPPLY.toString() }] })],
    open: openAlone(token),
    action({ to, amount }) {
      const value = String(amount);
      if (amount % 5 === 0) return token.call('approve', { spender: textOf(to), value });
      if (amount % 5 === 1) return token.call('transferFrom', { from: textOf(1), to: textOf(to), value });
      return token.call('transfer', { to: textOf(to), value });
    },
    check(state) {
      let supply = 0n;
      for (let owner = 1; owner <= ACCOUNTS; owner++)
        supply += BigInt(String(entryOf(token, state, BALANCES, textOf(owner)) ?? 0));
      requireEqual(supply, SUPPLY, 'the supply of tokens');
    },
  };
}
