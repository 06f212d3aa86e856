import { assert } from '@slipstream/primitives';

/** packages/schema checked the cursor on arrival. */
export function placeOf(cursor = '0'): number {
  const place = Number(cursor);
  assert(Number.isSafeInteger(place), 'a cursor of a list is a number');
  return place;
}
