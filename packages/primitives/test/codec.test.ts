import { ContainerType, UintNumberType } from '@chainsafe/ssz';
import { expect, it } from 'vitest';
import { createCodec } from '../src/codec.ts';

it('a refusal does not repeat the type, however many fields it has', () => {
  const pair = new ContainerType({ first: new UintNumberType(4), second: new UintNumberType(4) });
  const type = new ContainerType(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`field${i}`, pair])));
  const refused = createCodec('many', type, 1_000).decode(new Uint8Array(34));
  expect(refused).toEqual({
    ok: false,
    error: { code: 'malformed', message: 'many: Container size 34 not equal fixed size 160' },
  });
});
