import { account, amount } from '../forms/description.ts';
import { ACCOUNT_ALLOCATE_BYTES, cost, KEY_WRITE } from './costs.ts';
import { defineAction } from './definition.ts';

const MOVE_COMPUTE = 1;
/** The receiver's account; the sender's is in each transaction. */
const UNITS = cost(MOVE_COMPUTE, 1, ACCOUNT_ALLOCATE_BYTES, KEY_WRITE);

export const transfer = defineAction({
  kind: 'transfer',
  tag: 1,
  title: 'Transfer',
  about: 'Moves an amount from the sender to another account.',
  fields: { to: account, amount },
  units: () => UNITS,
});
