/** rotateKeys: the operator gives a validator's next keys, and its address and fee account. Unchanged keys stay in use. */

import type { ValidatorId } from '../epochs/validator-id.ts';
import { account, blsKey, id, keySignature, peerKey, text } from '../forms/description.ts';
import { NODE_ADDRESS_BYTES_MAX } from '../limits.ts';
import { cost, KEY_CHECK_COMPUTE, VALIDATOR_READS, VALIDATOR_WRITES } from './costs.ts';
import { defineAction } from './definition.ts';

/** Next keys, two used keys, an entry of the queue; a longer address. */
const ROTATION_BYTES = 1024;
/** Two used keys. */
const ROTATION_WRITES = VALIDATOR_WRITES + 5;

export const rotateKeys = defineAction({
  kind: 'rotateKeys',
  tag: 12,
  title: 'RotateKeys',
  about: "Gives a validator's next keys, and its address and fee account.",
  fields: {
    validatorId: id<ValidatorId>(),
    blsPublicKey: blsKey,
    peerKey,
    address: text({ bytesMax: NODE_ADDRESS_BYTES_MAX, rule: 'nodeAddress', example: 'validator.example.org:9000' }),
    feeAccount: account,
    /** Over consentMessage, by the BLS key. */
    consent: keySignature,
  },
  units: () => cost(KEY_CHECK_COMPUTE, VALIDATOR_READS, ROTATION_BYTES, ROTATION_WRITES),
});
