/** setData: writes or deletes (empty value) an entry of the sender's. It cannot fail. */
import type { SetData } from '@slipstream/types';
import { dataStateKey, type StateKey } from '../state-keys.ts';
import { type ActionRule, APPLIED } from './rule.ts';

const COMPUTE = 1;
/** One write unit a key, and one for every 64 bytes of value begun: what the state store keeps inline (state.md, "Index"). */
const WRITE_UNIT_BYTES = 64;
/** Longest key, so that the bound needs no look at the name. */
const KEY_BYTES_MAX = 62;

export const setDataRule: ActionRule<SetData> = {
  keys: (sender, { name }) => [dataStateKey(sender.account, name)],
  units({ value }) {
    const allocate = value.length === 0 ? 0 : KEY_BYTES_MAX + value.length;
    return [0, COMPUTE, 1, allocate, 1 + Math.ceil(value.length / WRITE_UNIT_BYTES)];
  },
  apply(scratch, { value }, keys) {
    scratch.set(keys[0] as StateKey, value.length === 0 ? undefined : value.slice());
    return APPLIED;
  },
};
