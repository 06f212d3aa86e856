/** Bounds of the directory and of distilled rows, in the state from genesis on: accountsMax, rowsPerBlock, registrationsPerBlock, each a u32. */
import type { DistilledParameters } from '@slipstream/types';
import { ExecutionError } from '../errors.ts';
import type { Entries } from '../overlay.ts';
import { DISTILLED_KEY } from './keys.ts';

const VALUE_BYTES = 12;

export function encodeBounds({ accountsMax, rowsPerBlock, registrationsPerBlock }: DistilledParameters): Uint8Array {
  const value = new Uint8Array(VALUE_BYTES);
  const view = new DataView(value.buffer);
  view.setUint32(0, accountsMax, true);
  view.setUint32(4, rowsPerBlock, true);
  view.setUint32(8, registrationsPerBlock, true);
  return value;
}

/** Undefined: the chain has no directory. Throws ExecutionError `state-corrupt`. */
export function readBounds(entries: Pick<Entries, 'get'>): DistilledParameters | undefined {
  const value = entries.get(DISTILLED_KEY);
  if (value === undefined) return undefined;
  if (value.length !== VALUE_BYTES) {
    throw new ExecutionError('state-corrupt', `bounds have ${VALUE_BYTES} bytes, these ${value.length}`, {});
  }
  const view = new DataView(value.buffer, value.byteOffset, VALUE_BYTES);
  return {
    accountsMax: view.getUint32(0, true),
    rowsPerBlock: view.getUint32(4, true),
    registrationsPerBlock: view.getUint32(8, true),
  };
}
