/** register: enters the sender with a BLS key into the account directory. A second registration retires the first index. */
import { ByteVectorType, ContainerType, createCodec, to0x } from '@slipstream/primitives';
import { keySignatureFromJson, uncompressedKeyFromJson } from '../../src/epochs/changes-json.ts';
import { ACTION_BODY_BYTES_MAX, BLS_AGGREGATE_BYTES, BLS_UNCOMPRESSED_KEY_BYTES } from '../../src/limits.ts';

export interface Register {
  readonly kind: 'register';
  /** 96 bytes, uncompressed. */
  readonly blsKey: Uint8Array;
  /** 96 bytes over registrationMessage, by the BLS key. */
  readonly proof: Uint8Array;
}

interface RegisterWire {
  readonly blsKey: Uint8Array;
  readonly proof: Uint8Array;
}

const type = new ContainerType({
  blsKey: new ByteVectorType(BLS_UNCOMPRESSED_KEY_BYTES),
  proof: new ByteVectorType(BLS_AGGREGATE_BYTES),
});

export const registerCodec = createCodec<Register, RegisterWire>('register', type, ACTION_BODY_BYTES_MAX, {
  toWire: ({ blsKey, proof }) => ({ blsKey, proof }),
  fromWire: ({ blsKey, proof }) => ({ kind: 'register', blsKey, proof }),
});

export interface RegisterJson {
  readonly kind: 'register';
  readonly blsKey: string;
  readonly proof: string;
}

export function registerToJson({ blsKey, proof }: Register): RegisterJson {
  return { kind: 'register', blsKey: to0x(blsKey), proof: to0x(proof) };
}

/** Throws RangeError with the reason. */
export function registerFromJson({ blsKey, proof }: RegisterJson): Register {
  return { kind: 'register', blsKey: uncompressedKeyFromJson(blsKey), proof: keySignatureFromJson(proof) };
}
