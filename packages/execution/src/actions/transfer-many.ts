/** transferMany: consecutive transfers; the first failure fails all. */
import type { TransferMany } from '@slipstream/types';
import { accountStateKey, type StateKey } from '../state-keys.ts';
import { move } from './move.ts';
import { type ActionRule, APPLIED } from './rule.ts';

export const transferManyRule: ActionRule<TransferMany> = {
  keys: (sender, { outputs }) => [sender.key, ...outputs.map(({ to }) => accountStateKey(to))],
  apply(scratch, { outputs }, keys) {
    const sender = keys[0] as StateKey;
    for (const [i, { amount }] of outputs.entries()) {
      const moved = move(scratch, sender, keys[i + 1] as StateKey, amount);
      if (!moved.ok) return moved;
    }
    return APPLIED;
  },
  spends: ({ outputs }) => outputs.reduce((sum, { amount }) => sum + amount, 0n),
};
