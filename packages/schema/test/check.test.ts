/** Checks of foreign JSON, and their faults. */
import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { createCheck } from '../src/index.ts';

const check = createCheck(
  Type.Object(
    { names: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z]+$' }), { maxItems: 3 })) },
    { additionalProperties: false },
  ),
);

it('counts items before it checks any of them', () => {
  let looks = 0;
  const names = new Proxy(['a', 'b', 'c', 'd'], {
    get(target, key, receiver) {
      if (/^[0-9]+$/.test(String(key))) looks += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const faults = [{ path: '/names', message: 'must not have more than 3 items' }];
  expect(check({ names })).toEqual({ ok: false, error: faults });
  expect(looks).toBe(0);
  expect(check({ names: ['a', 'b', 'c'] }).ok).toBe(true);
});

it('names a few unknown properties, and reports only the number of many', () => {
  const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`unknown${i}`, i]));
  const many = check(named(100));
  expect(many).toEqual({ ok: false, error: [{ path: '', message: 'must not have additional properties' }] });
  expect(check(named(1)).ok).toBe(false);
});

it('leaves values other than objects to the schema', () => {
  for (const value of [null, undefined, 7, 'text', ['a']]) expect(check(value).ok).toBe(false);
});
