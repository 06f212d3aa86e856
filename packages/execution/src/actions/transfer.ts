/** transfer: fails with `insufficient-balance` (after the fee is reserved), or `balance-overflow` of the receiver. */
import type { Transfer } from '@slipstream/types';
import { accountStateKey, type StateKey } from '../state-keys.ts';
import { ACCOUNT_ALLOCATE_BYTES, MOVE_COMPUTE, move } from './move.ts';
import type { ActionRule } from './rule.ts';

/** Both balances are read and written. */
const KEYS = 2;

export const transferRule: ActionRule<Transfer> = {
  keys: (sender, action) => [sender.key, accountStateKey(action.to)],
  units: () => [0, MOVE_COMPUTE, KEYS, ACCOUNT_ALLOCATE_BYTES, KEYS],
  apply: (scratch, action, keys) => move(scratch, keys[0] as StateKey, keys[1] as StateKey, action.amount),
  spends: ({ amount }) => amount,
};
