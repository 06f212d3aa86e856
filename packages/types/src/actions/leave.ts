/** leave: the operator takes a validator out of the committee. */

import type { ValidatorId } from '../epochs/validator-id.ts';
import { id } from '../forms/description.ts';
import { cost, GOVERNANCE_COMPUTE, VALIDATOR_READS, VALIDATOR_WRITES, WAITING_BYTES } from './costs.ts';
import { defineAction } from './definition.ts';

export const leave = defineAction({
  kind: 'leave',
  tag: 13,
  title: 'Leave',
  about: 'Takes a validator out of the committee.',
  fields: { validatorId: id<ValidatorId>() },
  units: () => cost(GOVERNANCE_COMPUTE, VALIDATOR_READS, WAITING_BYTES, VALIDATOR_WRITES),
});
