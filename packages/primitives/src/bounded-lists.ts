/**
 * Lists whose limit encoding checks too: the library checks it only in decoding, and a sender of a longer list would be taken for an
 * offender. SSZ computes a value's size before it writes.
 */
import {
  type CompositeType,
  type CompositeView,
  type CompositeViewDU,
  ByteListType as SszByteListType,
  ListCompositeType as SszListCompositeType,
  type ValueOf,
} from '@chainsafe/ssz';

export class ByteListType extends SszByteListType {
  override value_serializedSize(value: Uint8Array): number {
    if (value.length > this.limitBytes) throw tooLong(value.length, this.limitBytes, 'bytes');
    return super.value_serializedSize(value);
  }
}

export class ListCompositeType<
  Element extends CompositeType<unknown, CompositeView<Element>, CompositeViewDU<Element>>,
> extends SszListCompositeType<Element> {
  override value_serializedSize(value: ValueOf<Element>[]): number {
    if (value.length > this.limit) throw tooLong(value.length, this.limit, 'elements');
    return super.value_serializedSize(value);
  }
}

function tooLong(length: number, limit: number, unit: string): RangeError {
  return new RangeError(`a list of ${length} ${unit}, at most ${limit} are allowed`);
}
