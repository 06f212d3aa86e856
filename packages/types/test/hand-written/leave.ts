/** leave: the operator takes a validator out of the committee. */
import { ContainerType, createCodec, to0x } from '@slipstream/primitives';
import { validatorIdFromJson } from '../../src/epochs/changes-json.ts';
import type { ValidatorId } from '../../src/epochs/validator-id.ts';
import { ACTION_BODY_BYTES_MAX } from '../../src/limits.ts';
import { bytes32 } from '../../src/subject-wire.ts';

export interface Leave {
  readonly kind: 'leave';
  readonly validatorId: ValidatorId;
}

const type = new ContainerType({ validatorId: bytes32 });

export const leaveCodec = createCodec<Leave, { readonly validatorId: Uint8Array }>(
  'leave',
  type,
  ACTION_BODY_BYTES_MAX,
  {
    toWire: ({ validatorId }) => ({ validatorId }),
    fromWire: ({ validatorId }) => ({ kind: 'leave', validatorId: validatorId as ValidatorId }),
  },
);

export interface LeaveJson {
  readonly kind: 'leave';
  readonly validatorId: string;
}

export function leaveToJson({ validatorId }: Leave): LeaveJson {
  return { kind: 'leave', validatorId: to0x(validatorId) };
}

/** Throws RangeError with the reason. */
export function leaveFromJson({ validatorId }: LeaveJson): Leave {
  return { kind: 'leave', validatorId: validatorIdFromJson(validatorId) };
}
