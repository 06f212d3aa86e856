/** A validator as an operator names it: by its id, or a member by its name. */
import type { Client } from '@slipstream/client';
import { fromHex } from '@slipstream/primitives';
import type { ValidatorId } from '@slipstream/types';
import { NodeError } from '../errors.ts';

const ID = /^0x[0-9a-fA-F]{64}$/;

/** Throws NodeError `usage`. */
export async function validatorIdNamed(client: Client, given: string): Promise<ValidatorId> {
  if (ID.test(given)) return fromHex(given) as ValidatorId;
  const { members } = await client.epoch('current');
  const named = members.filter(({ name }) => name === given);
  const [only] = named;
  if (only !== undefined && named.length === 1) return fromHex(only.validatorId) as ValidatorId;
  const what = only === undefined ? 'no member has this name' : 'several members have this name: give the id';
  throw new NodeError('usage', `"${given.slice(0, 80)}": ${what}. See slipstream epochs current`, { given });
}
