/** The writes of a block, as columns: the form in which the state store takes them. */
import { StateTreeError } from './errors.ts';
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from './forms.ts';

export interface ChangeColumns {
  /** Of each change its key, then its value. */
  readonly bytes: Uint8Array;
  readonly keyBytes: Uint8Array;
  /** Below zero: the key is deleted. */
  readonly valueBytes: Int32Array;
}

/** A copy, since the caller may use the memory again. Throws StateTreeError `bad-changes`. */
export function checkedCopy(columns: ChangeColumns): ChangeColumns {
  checkColumns(columns);
  const { bytes, keyBytes, valueBytes } = columns;
  return { bytes: new Uint8Array(bytes), keyBytes: new Uint8Array(keyBytes), valueBytes: new Int32Array(valueBytes) };
}

/** Throws StateTreeError `bad-changes`. */
export function checkColumns({ bytes, keyBytes, valueBytes }: ChangeColumns): void {
  let total = 0;
  for (let i = 0; i < keyBytes.length; i++) {
    const [key, value] = [keyBytes[i] as number, valueBytes[i] ?? Number.NaN];
    if (key < 1 || key > KEY_BYTES_MAX) throw badChange(`change ${i} has a key of ${key} bytes`);
    if (!(value <= VALUE_BYTES_MAX)) throw badChange(`change ${i} has a value of ${value} bytes`);
    total += key + Math.max(0, value);
  }
  if (valueBytes.length !== keyBytes.length || total !== bytes.length) throw badChange('the columns differ in length');
}

export function badChange(what: string): StateTreeError {
  return new StateTreeError('bad-changes', `the state tree cannot take the batch: ${what}`);
}
