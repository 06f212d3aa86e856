/**
 * Canonical codec: SSZ with a maximum size. A decoder accepts only bytes that encode again to the same bytes, so a value has one encoding,
 * and its id is the id of the received bytes.
 *
 * Source: Ethereum consensus specifications, "SimpleSerialize (SSZ)"; implementation @chainsafe/ssz.
 */
import type { Type } from '@chainsafe/ssz';
import { bytesEqual } from './bytes.ts';
import { PrimitivesError } from './errors.ts';
import { fail, ok, type Result } from './result.ts';

export {
  BooleanType,
  ByteVectorType,
  ContainerType,
  UintBigintType,
  VectorBasicType,
} from '@chainsafe/ssz';
export { ByteListType, ListCompositeType } from './bounded-lists.ts';
export { UintNumberType } from './exact-integers.ts';

export type DecodeError = {
  readonly code: 'oversize' | 'malformed' | 'not-canonical';
  readonly message: string;
};

export interface Codec<T> {
  readonly name: string;
  /** A test compares docs/protocol/wire-formats.md with it. */
  readonly type: Type<unknown>;
  /** Longer input is rejected. */
  readonly bytesMax: number;
  /** Throws PrimitivesError `encode-failed` for a value outside the type, a list too long, or more than bytesMax. */
  encode(value: T): Uint8Array;
  /** Byte fields may share the input's memory. */
  decode(bytes: Uint8Array): Result<T, DecodeError>;
}

/** Between a value of the project (readonly, branded, unions) and its SSZ value. */
interface WireForm<T, Wire> {
  toWire(value: T): Wire;
  /** May throw; decode then returns `malformed`. */
  fromWire(wire: Wire): T;
}

/** `readInPlace` must return the value of decoding, or undefined for shapes that it does not handle. */
export function createCodec<T, Wire = T>(
  name: string,
  type: Type<unknown>,
  bytesMax: number,
  form?: WireForm<T, Wire>,
  readInPlace?: (bytes: Uint8Array) => T | undefined,
): Codec<T> {
  const serialize = (value: T): Uint8Array => type.serialize(form ? form.toWire(value) : value);

  function encode(value: T): Uint8Array {
    let bytes: Uint8Array;
    try {
      bytes = serialize(value);
    } catch (cause) {
      throw new PrimitivesError('encode-failed', `${name} cannot be encoded: ${String(cause)}`, { name }, cause);
    }
    if (bytes.length > bytesMax) {
      throw new PrimitivesError('encode-failed', `${name} is larger than ${bytesMax} bytes`, { name, bytesMax });
    }
    return bytes;
  }

  function decode(bytes: Uint8Array): Result<T, DecodeError> {
    if (bytes.length > bytesMax) {
      return fail({ code: 'oversize', message: `${name}: ${bytes.length} bytes, at most ${bytesMax} are allowed` });
    }
    const read = readInPlace?.(bytes);
    if (read !== undefined) return ok(read);
    let wire: unknown;
    try {
      wire = type.deserialize(bytes);
    } catch (cause) {
      return fail({ code: 'malformed', message: `${name}: ${faultOf(cause, bytes.length)}` });
    }
    try {
      const value = form ? form.fromWire(wire as Wire) : (wire as T);
      if (!bytesEqual(serialize(value), bytes)) {
        return fail({ code: 'not-canonical', message: `${name}: the bytes are not the canonical encoding` });
      }
      return ok(value);
    } catch (cause) {
      return fail({ code: 'malformed', message: `${name}: ${cause instanceof Error ? cause.message : String(cause)}` });
    }
  }

  return { name, type, bytesMax, encode, decode };
}

/** Truncated input fails in the platform with a RangeError. */
function faultOf(cause: unknown, length: number): string {
  if (cause instanceof RangeError) return `cut short: ${length} bytes are too few`;
  return cause instanceof Error ? cause.message.replace(TYPE_TEXT, '$1') : String(cause);
}

/** The SSZ library begins with the whole type, in hundreds of characters. */
const TYPE_TEXT = /^([A-Za-z]+)\(.*\)(?= )/;
