/** call: runs an action of an application (applications.md). */
import { ByteListType, ContainerType, createCodec, fromUtf8, to0x, UintNumberType, utf8 } from '@slipstream/primitives';
import { parseBytes } from '../../src/actions/json.ts';
import { ACTION_BODY_BYTES_MAX, APPLICATION_NAME_BYTES_MAX, CALL_INPUT_BYTES_MAX } from '../../src/limits.ts';

export interface Call {
  readonly kind: 'call';
  /** A letter of a-z, then up to 31 of a-z, 0-9 and "-". */
  readonly application: string;
  /** Its number in the application's manifest. */
  readonly action: number;
  /** Up to 7,168 bytes, in the action's form. */
  readonly input: Uint8Array;
}

interface CallWire extends Omit<Call, 'kind' | 'application'> {
  readonly application: Uint8Array;
}

const APPLICATION_NAME = /^[a-z][a-z0-9-]{0,31}$/;
const ACTION_NUMBER_MAX = 65_535;

const type = new ContainerType({
  application: new ByteListType(APPLICATION_NAME_BYTES_MAX),
  action: new UintNumberType(2),
  input: new ByteListType(CALL_INPUT_BYTES_MAX),
});

export const callCodec = createCodec<Call, CallWire>('call', type, ACTION_BODY_BYTES_MAX, {
  toWire: ({ application, action, input }) => ({ application: utf8(application), action, input }),
  fromWire: ({ application, action, input }) => checked(fromUtf8(application), action, input),
});

export function isNameOfApplication(name: string): boolean {
  return APPLICATION_NAME.test(name);
}

function checked(application: string, action: number, input: Uint8Array): Call {
  if (!isNameOfApplication(application)) throw new RangeError('an application has a name of a-z, 0-9 and -');
  if (!Number.isInteger(action) || action < 0 || action > ACTION_NUMBER_MAX)
    throw new RangeError(`an action has a number up to ${ACTION_NUMBER_MAX}`);
  if (input.length > CALL_INPUT_BYTES_MAX) throw new RangeError(`an input has at most ${CALL_INPUT_BYTES_MAX} bytes`);
  return { kind: 'call', application, action, input };
}

export interface CallJson {
  readonly kind: 'call';
  readonly application: string;
  readonly action: number;
  readonly input: string;
}

export function callToJson({ application, action, input }: Call): CallJson {
  return { kind: 'call', application, action, input: to0x(input) };
}

/** Throws RangeError with the reason. */
export function callFromJson({ application, action, input }: CallJson): Call {
  return checked(application, action, parseBytes(input));
}
