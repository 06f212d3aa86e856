/** Coins of an application on a simulated chain, whose only one it is. */
import { readBalance } from '@slipstream/execution';
import { domainPrefix, hashInDomain } from '@slipstream/primitives';
import { account } from '../../../../packages/execution/test/builders.ts';
import { ACCOUNTS, type CheckedState } from './simulated-calls.ts';

const PURSE = domainPrefix('slipstream/purse');

export function purseBalance({ genesisHash, read }: CheckedState, label: Uint8Array): bigint {
  const bytes = hashInDomain(PURSE, genesisHash, new Uint8Array(2), label);
  return readBalance(read, { scheme: 'purse', bytes });
}

/** Of all that have coins in genesis. */
export function coinsOfAccounts({ read }: CheckedState): bigint {
  let coins = 0n;
  for (let owner = 1; owner <= ACCOUNTS; owner++) coins += readBalance(read, account(owner));
  return coins;
}
