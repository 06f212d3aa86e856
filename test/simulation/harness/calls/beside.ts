/** Heavy calls that run beside each other, and meet each other's entries, coins and rules. No coin is made or lost. */
import { utf8 } from '@slipstream/primitives';
import type { Action } from '@slipstream/types';
import { builtApplication, type TestApplication } from '../../../../packages/execution/test/application-builders.ts';
import { coinsOfAccounts, purseBalance } from './purses.ts';
import { type CallBytes, openAlone, requireEqual, type SimulatedCalls, textOf } from './simulated-calls.ts';

const SOURCE = new URL('../../../../packages/execution/test/applications/beside.ts', import.meta.url);
const PURSE = utf8('till');
/** Few, so that calls of a block meet. */
const ENTRIES = 12;

let built: Promise<TestApplication> | undefined;

export async function besideCalls(): Promise<SimulatedCalls> {
  built ??= builtApplication(SOURCE);
  const beside = await built;
  const at = (number: number) => number % ENTRIES;
  const mix = ({ to, amount, salt }: CallBytes): Action =>
    beside.call('mix', { from: at(amount), to: at(salt + to), rounds: 1 + (salt % 16) });
  let coins: bigint | undefined;
  return {
    genesis: [beside.inGenesis({ first: 3 })],
    open: openAlone(beside),
    action(bytes) {
      const { to, amount, salt } = bytes;
      switch (amount % 12) {
        case 0:
          return beside.call('collect', { value: String(salt % 8) });
        case 1:
          return beside.call('pay', { to: textOf(to), value: String(salt % 4) });
        case 2:
        case 3:
          return beside.call('cut', { at: at(salt) });
        case 4:
          return beside.call('stray', { at: at(salt), other: at(to) });
        case 5:
          return beside.call('crash', { at: at(salt) });
        case 6:
          return salt % 3 === 0 ? beside.call('setFactor', { value: salt }) : mix(bytes);
        default:
          return mix(bytes);
      }
    },
    more: (bytes) => (bytes.salt % 4 === 0 ? [mix({ ...bytes, amount: bytes.salt + bytes.to })] : []),
    check(state) {
      const all = purseBalance(state, PURSE) + coinsOfAccounts(state);
      coins ??= all;
      requireEqual(all, coins, 'coins of accounts and the till');
    },
  };
}
