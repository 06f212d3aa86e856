import { account, amount, list, record } from '../forms/description.ts';
import { ACCOUNT_ALLOCATE_BYTES, cost, KEY_WRITE } from './costs.ts';
import { defineAction } from './definition.ts';

/** With 33-byte keys, 100 outputs take 5 kB. */
export const TRANSFER_MANY_OUTPUTS_MAX = 100;
/** Its account is read as well, twice. */
const OUTPUT_COMPUTE = 2;

const output = record({ to: account, amount }, { name: 'transfer output' });

export const transferMany = defineAction({
  kind: 'transferMany',
  tag: 2,
  title: 'TransferMany',
  about: 'Moves amounts to several accounts, all or nothing.',
  fields: { outputs: list(output, { min: 1, max: TRANSFER_MANY_OUTPUTS_MAX }) },
  units: ({ outputs: { length } }) =>
    cost(OUTPUT_COMPUTE * length, length, ACCOUNT_ALLOCATE_BYTES * length, KEY_WRITE * length),
});
