/**
 * Unsigned integers that a number holds exactly.
 *
 * The library decodes eight bytes into the nearest number. Above 2^53 many integers encode back to the same bytes, but adding 1 to such a
 * number has no effect. So they are rejected.
 */
import { type ByteViews, UintNumberType as SszUintNumberType } from '@chainsafe/ssz';

export class UintNumberType extends SszUintNumberType {
  override value_deserializeFromBytes(data: ByteViews, start: number, end: number): number {
    const value = super.value_deserializeFromBytes(data, start, end);
    if (!Number.isSafeInteger(value)) throw new Error('an integer is above 2^53 - 1');
    return value;
  }
}
