/** setData: writes a small value under a name of the sender's account. */
import { ByteListType, ContainerType, createCodec, fromUtf8, to0x, utf8 } from '@slipstream/primitives';
import { parseBytes } from '../../src/actions/json.ts';
import { ACTION_BODY_BYTES_MAX } from '../../src/limits.ts';

/** Keeps state keys within 64 bytes. */
export const DATA_NAME_BYTES_MAX = 28;
export const DATA_VALUE_BYTES_MAX = 4096;

export interface SetData {
  readonly kind: 'setData';
  readonly name: string;
  /** Up to 4,096 bytes; empty deletes. */
  readonly value: Uint8Array;
}

interface SetDataWire {
  readonly name: Uint8Array;
  readonly value: Uint8Array;
}

const type = new ContainerType({
  name: new ByteListType(DATA_NAME_BYTES_MAX),
  value: new ByteListType(DATA_VALUE_BYTES_MAX),
});

export const setDataCodec = createCodec<SetData, SetDataWire>('setData', type, ACTION_BODY_BYTES_MAX, {
  toWire: ({ name, value }) => ({ name: utf8(name), value }),
  fromWire: ({ name, value }) => checked(fromUtf8(name), value),
});

function checked(name: string, value: Uint8Array): SetData {
  const bytes = utf8(name).length;
  if (bytes < 1 || bytes > DATA_NAME_BYTES_MAX) throw new RangeError(`a name has 1 to ${DATA_NAME_BYTES_MAX} bytes`);
  if (value.length > DATA_VALUE_BYTES_MAX) throw new RangeError(`a value has at most ${DATA_VALUE_BYTES_MAX} bytes`);
  return { kind: 'setData', name, value };
}

export interface SetDataJson {
  readonly kind: 'setData';
  readonly name: string;
  readonly value: string;
}

export function setDataToJson({ name, value }: SetData): SetDataJson {
  return { kind: 'setData', name, value: to0x(value) };
}

/** Throws RangeError with the reason. */
export function setDataFromJson(json: SetDataJson): SetData {
  return checked(json.name, parseBytes(json.value));
}
