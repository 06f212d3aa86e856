/** The token of the examples on a simulated chain: what genesis says of it, realms for each process, and calls by a few random bytes. */
import type { Applications } from '@slipstream/execution';
import { type Action, accountKeyText, type Genesis, stateKeyOfEntry } from '@slipstream/types';
import {
  builtApplication,
  exampleSource,
  freshApplications,
  type TestApplication,
} from '../../../packages/execution/test/application-builders.ts';
import { account } from '../../../packages/execution/test/builders.ts';

export interface SimulatedCalls {
  readonly genesis: Genesis['applications'];
  /** In new realms. */
  open(): Applications;
  action(to: number, amount: number): Action;
  /** Of all of these accounts. */
  supplyIn(read: (key: Uint8Array) => Uint8Array | undefined, accounts: number): bigint;
}

export const TOKEN_SUPPLY = 1_000n;
const BALANCES = 0;

const token = { built: undefined as Promise<TestApplication> | undefined };

/** All tokens belong to account 1 at first. */
export async function tokenCalls(): Promise<SimulatedCalls> {
  token.built ??= builtApplication(exampleSource('token'));
  const built = await token.built;
  const text = (number: number) => accountKeyText(account(number));
  return {
    genesis: [built.inGenesis({ holders: [{ owner: text(1), value: TOKEN_SUPPLY.toString() }] })],
    open: () => freshApplications([built]),
    action(to, amount) {
      const value = String(amount);
      if (amount % 5 === 0) return built.call('approve', { spender: text(to), value });
      if (amount % 5 === 1) return built.call('transferFrom', { from: text(1), to: text(to), value });
      return built.call('transfer', { to: text(to), value });
    },
    supplyIn(read, accounts) {
      let supply = 0n;
      for (let owner = 1; owner <= accounts; owner++) {
        const value = read(stateKeyOfEntry(0, BALANCES, built.json.keyFromJson(BALANCES, text(owner))));
        if (value !== undefined) supply += BigInt(String(built.json.valueToJson(BALANCES, value).value));
      }
      return supply;
    },
  };
}
