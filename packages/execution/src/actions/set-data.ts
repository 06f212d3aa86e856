/** setData: writes or deletes (empty value) an entry of the sender. Cannot fail. */
import type { SetData } from '@slipstream/types';
import { dataStateKey, type StateKey } from '../state-keys.ts';
import { type ActionRule, APPLIED } from './rule.ts';

export const setDataRule: ActionRule<SetData> = {
  keys: (sender, { name }) => [dataStateKey(sender.account, name)],
  apply(scratch, { value }, keys) {
    scratch.set(keys[0] as StateKey, value.length === 0 ? undefined : value.slice());
    return APPLIED;
  },
};
