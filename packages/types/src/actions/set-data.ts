import { bytes, text } from '../forms/description.ts';
import { CHANGE_COMPUTE, cost, writesOf } from './costs.ts';
import { defineAction } from './definition.ts';

/** Keeps state keys within 64 bytes. */
export const DATA_NAME_BYTES_MAX = 28;
const DATA_VALUE_BYTES_MAX = 4096;

/** Read, hashed and copied. */
const COMPUTE_UNIT_BYTES = 256;
/** The longest, so that the bound does not depend on the name. */
const KEY_BYTES_MAX = 62;

export const setData = defineAction({
  kind: 'setData',
  tag: 3,
  title: 'SetData',
  about: "Writes a small value under a name of the sender's; an empty one deletes.",
  fields: {
    name: text({
      bytesMin: 1,
      bytesMax: DATA_NAME_BYTES_MAX,
      about: `1 to ${DATA_NAME_BYTES_MAX} bytes of UTF-8.`,
      example: 'colour',
    }),
    /** Empty deletes. */
    value: bytes(DATA_VALUE_BYTES_MAX, { example: '0x626c7565' }),
  },
  units({ value: { length } }) {
    const isDeleted = length === 0;
    const compute = CHANGE_COMPUTE + Math.ceil(length / COMPUTE_UNIT_BYTES);
    // A deletion is read again at the block's end: the batch names no key that the state lacks.
    return cost(compute, isDeleted ? 2 : 1, isDeleted ? 0 : KEY_BYTES_MAX + length, writesOf(length));
  },
});
