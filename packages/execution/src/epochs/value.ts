import type { Codec } from '@slipstream/primitives';
import { ExecutionError } from '../errors.ts';

/** Throws ExecutionError `state-corrupt`. */
export function decodeValue<T>(codec: Codec<T>, value: Uint8Array): T {
  const decoded = codec.decode(value);
  if (decoded.ok) return decoded.value;
  throw new ExecutionError('state-corrupt', `the state has a broken entry: ${decoded.error.message}`, {});
}

/** Throws ExecutionError `state-corrupt` when it is missing. */
export function decodePresent<T>(codec: Codec<T>, value: Uint8Array | undefined): T {
  if (value === undefined) throw new ExecutionError('state-corrupt', `the state lacks a ${codec.name}`, {});
  return decodeValue(codec, value);
}
