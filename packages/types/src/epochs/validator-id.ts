/** A validator's id: from its first BLS key, which no other validator ever has. It outlives all its keys. */
import { type Brand, domainPrefix, hashInDomain } from '@slipstream/primitives';

export type ValidatorId = Brand<Uint8Array, 'ValidatorId'>;

const DOMAIN = domainPrefix('slipstream/validator');

export function validatorIdOf(firstBlsKey: Uint8Array): ValidatorId {
  return hashInDomain(DOMAIN, firstBlsKey) as ValidatorId;
}
