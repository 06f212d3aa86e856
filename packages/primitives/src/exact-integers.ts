/**
 * Unsigned integers that a number holds exactly. The library decodes eight bytes into the nearest number; above 2^53 adding 1 may have no
 * effect, so such numbers are rejected.
 */
import { type ByteViews, UintNumberType as SszUintNumberType } from '@chainsafe/ssz';

export class UintNumberType extends SszUintNumberType {
  override value_deserializeFromBytes(data: ByteViews, start: number, end: number): number {
    const value = super.value_deserializeFromBytes(data, start, end);
    if (!Number.isSafeInteger(value)) throw new Error('an integer is above 2^53 - 1');
    return value;
  }
}
