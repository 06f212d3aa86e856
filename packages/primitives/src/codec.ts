/**
 * Canonical codec: SSZ with a maximum size, and one encoding per value.
 *
 * A decoder accepts only bytes that encode again to the same bytes. So two peers never hold different bytes for what they
 * take for the same value, and an id computed from a decoded value is the id of the bytes that were received.
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
  /** What the wire form is made of: docs/protocol/wire-formats.md is compared with it. */
  readonly type: Type<unknown>;
  /** Largest encoding that is ever decoded. */
  readonly bytesMax: number;
  /** Throws PrimitivesError `encode-failed` when the value is not of the type, a list in it too long, or the whole above bytesMax. */
  encode(value: T): Uint8Array;
  /** Copies nothing it can view: byte fields of the value may share the input's memory. */
  decode(bytes: Uint8Array): Result<T, DecodeError>;
}

/** How a value of the project (readonly, branded, unions) stands on the wire, where that differs from the value itself. */
export interface WireForm<T, Wire> {
  toWire(value: T): Wire;
  /** May throw: decode turns it into a `malformed` error. */
  fromWire(wire: Wire): T;
}

/**
 * A codec over an SSZ type. Without a wire form the SSZ value is the value. `readInPlace` gives what decoding would give, for shapes
 * that it reads without; undefined for all others.
 */
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

/** The library says of most what is wrong. What ends before an offset that it reads fails in the platform. */
function faultOf(cause: unknown, length: number): string {
  if (cause instanceof RangeError) return `cut short: ${length} bytes are too few`;
  return cause instanceof Error ? cause.message : String(cause);
}
