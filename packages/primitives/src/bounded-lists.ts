/**
 * Lists that hold to their limit in both directions.
 *
 * The library checks a list's limit when it decodes, and encodes a longer one without a word: then whoever receives it takes the
 * sender for an offender. Here the sender learns of its own fault. The size of a value is asked for before anything is written.
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
