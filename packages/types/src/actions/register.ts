/** register: enters the sender with a BLS key into the account directory. A second registration retires the first index. */
import { fixedBytes, keySignature } from '../forms/description.ts';
import { BLS_UNCOMPRESSED_KEY_BYTES } from '../limits.ts';
import { cost, KEY_CHECK_COMPUTE, KEY_DECODE_COMPUTE } from './costs.ts';
import { defineAction } from './definition.ts';

/** An account's value grows, or is new; entry; head of the directory; nodes of its tree, one for each fourth level. */
const ALLOCATE_BYTES = 34 + 24 + 5 + 137 + 32 + 6 * (6 + 32);
/** Its entry. Head and bounds of the directory each block reads by itself; the sender's account is in each transaction. */
const READS = 1;
/** Between the first and one in a full directory, each alone in its block: all of a block share the head. */
const WRITES = 18;

export const register = defineAction({
  kind: 'register',
  tag: 16,
  title: 'Register',
  about: 'Enters the sender with a BLS key into the account directory.',
  fields: {
    blsKey: fixedBytes(BLS_UNCOMPRESSED_KEY_BYTES, 'BLS public key, uncompressed.'),
    /** Over registrationMessage, by the BLS key. */
    proof: keySignature,
  },
  units: () => cost(KEY_CHECK_COMPUTE + KEY_DECODE_COMPUTE, READS, ALLOCATE_BYTES, WRITES),
});
