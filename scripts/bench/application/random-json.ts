/** Random JSON of a form. Accounts, ids and small numbers are few, so that calls meet each other's entries. */
import type { FormDescription } from '@slipstream/app/program';
import fc from 'fast-check';

const accountOf = (seed: number): string => `0x01${seed.toString(16).padStart(2, '0').repeat(32)}`;
const idOf = (seed: number): string => `0x${seed.toString(16).padStart(2, '0').repeat(32)}`;

export const SEED_MAX = 3;
const seeds = fc.nat(SEED_MAX);
const integer = (max: number) => fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(max) });

export function jsonOf(description: FormDescription): fc.Arbitrary<unknown> {
  switch (description.form) {
    case 'u8':
      return integer(255);
    case 'u16':
      return integer(65_535);
    case 'u32':
      return fc.oneof(integer(2 ** 31 - 1), fc.constant(2 ** 32 - 1));
    case 'timeMs':
      return integer(Number.MAX_SAFE_INTEGER);
    case 'amount':
      return fc.oneof(fc.bigInt(0n, 50n), fc.bigInt(0n, 2n ** 64n - 1n)).map(String);
    case 'account':
      return seeds.map(accountOf);
    case 'id':
      // Of earlier calls, too.
      return fc.nat(20).map(idOf);
    case 'text':
      return fc.string({ maxLength: Math.floor(description.bytesMax / 4) });
    case 'bytes':
      return fc
        .uint8Array({ maxLength: description.bytesMax })
        .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
    case 'oneOf':
      return fc.constantFrom(...description.names);
    case 'option':
      return fc.option(jsonOf(description.of));
    case 'list':
      return fc.array(jsonOf(description.of), { maxLength: Math.min(5, description.itemsMax) });
    case 'record':
      return fc.record(Object.fromEntries(description.fields.map(({ name, of }) => [name, jsonOf(of)])));
    case 'choice':
      throw new Error('no example has a choice');
  }
}
