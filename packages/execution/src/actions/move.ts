/** Moves an amount between two balances, for transfer and transferMany. */
import { addAmounts, subtractAmounts } from '../amount.ts';
import type { Scratch } from '../overlay.ts';
import { isSameKey, type StateKey } from '../state-keys.ts';
import { APPLIED, type Applied } from './rule.ts';

export function move(scratch: Scratch, from: StateKey, to: StateKey, amount: bigint): Applied {
  const rest = subtractAmounts(scratch.balance(from), amount);
  if (rest === undefined) return { ok: false, code: 'insufficient-balance' };
  if (isSameKey(from, to) || amount === 0n) return APPLIED;
  const credited = addAmounts(scratch.balance(to), amount);
  if (credited === undefined) return { ok: false, code: 'balance-overflow' };
  scratch.setBalance(from, rest);
  scratch.setBalance(to, credited);
  return APPLIED;
}
