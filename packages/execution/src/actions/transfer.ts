/** transfer: fails with `insufficient-balance` (after the fee is reserved), or `balance-overflow` of the receiver. */
import type { Transfer } from '@slipstream/types';
import { accountStateKey, type StateKey } from '../state-keys.ts';
import { move } from './move.ts';
import type { ActionRule } from './rule.ts';

export const transferRule: ActionRule<Transfer> = {
  keys: (sender, action) => [sender.key, accountStateKey(action.to)],
  apply: (scratch, action, keys) => move(scratch, keys[0] as StateKey, keys[1] as StateKey, action.amount),
  spends: ({ amount }) => amount,
};
