/** Escrow: deals that several chunks open, and others close. Each purse has what its open deal says, and no coin is made or lost. */

import { to0x } from '@slipstream/primitives';
import { EPOCH_MS } from '@slipstream/simulator';
import type { GenesisHash } from '@slipstream/types';
import type { TransactionForm } from '../../../../packages/execution/test/builders.ts';
import { coinsOfAccounts, purseBalance } from './purses.ts';
import {
  ACCOUNTS,
  entryOf,
  example,
  idIn,
  openAlone,
  requireEqual,
  type SimulatedCalls,
  textOf,
} from './simulated-calls.ts';

const DEALS = 32;
const DEALS_TABLE = 0;
const EXPIRY_MS = EPOCH_MS + 55_000;

interface Deal {
  readonly value: string;
  readonly status: string;
}

export async function escrowCalls(): Promise<SimulatedCalls> {
  const escrow = await example('escrow');
  const opening = (number: number): Omit<TransactionForm, 'genesisHash'> => {
    const deal = number % DEALS;
    const party = (step: number) => textOf(1 + ((deal * step) % ACCOUNTS));
    const input = {
      seller: party(5),
      arbiter: party(3),
      value: String(1 + 20 * deal),
      deadlineMs: EPOCH_MS + 1_000 * deal,
    };
    return { from: 1 + (deal % ACCOUNTS), actions: [escrow.call('open', input)], salt: deal, expiryMs: EXPIRY_MS };
  };
  const idsByChain = new Map<GenesisHash, readonly Uint8Array[]>();
  const ids = (genesisHash: GenesisHash): readonly Uint8Array[] => {
    const known = idsByChain.get(genesisHash);
    if (known !== undefined) return known;
    const made = Array.from({ length: DEALS }, (_, deal) => idIn(opening(deal), genesisHash));
    idsByChain.set(genesisHash, made);
    return made;
  };
  let coins: bigint | undefined;
  return {
    genesis: [escrow.inGenesis({})],
    open: openAlone(escrow),
    action: ({ amount, salt }, genesisHash) =>
      escrow.call(amount % 2 === 0 ? 'release' : 'refund', {
        deal: to0x(ids(genesisHash)[salt % DEALS] as Uint8Array),
      }),
    repeated: opening,
    check(state) {
      let held = 0n;
      for (const id of ids(state.genesisHash)) {
        const deal = entryOf(escrow, state, DEALS_TABLE, to0x(id)) as Deal | undefined;
        const owed = deal?.status === 'open' ? BigInt(deal.value) : 0n;
        requireEqual(purseBalance(state, id), owed, `the purse of ${to0x(id)}`);
        held += owed;
      }
      const all = held + coinsOfAccounts(state);
      coins ??= all;
      requireEqual(all, coins, 'coins of accounts and purses');
    },
  };
}
