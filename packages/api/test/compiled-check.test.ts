import { createCheck, EVENT_TYPES, EVENTS, ROUTE_NAMES, ROUTE_TABLE } from '@slipstream/schema';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { createCompiledCheck } from '../src/compiled-check.ts';
import { valuesOf } from './values-of-schema.ts';

const SCHEMAS: readonly (readonly [name: string, schema: TSchema])[] = [
  ...EVENT_TYPES.map((type) => [`event ${type}`, EVENTS[type].data] as const),
  ...ROUTE_NAMES.flatMap((name) => {
    const { params, query, body } = ROUTE_TABLE[name];
    return [
      [`params of ${name}`, params] as const,
      [`query of ${name}`, query] as const,
      ...(body ? [[`body of ${name}`, body.json] as const] : []),
    ];
  }),
];

const damage = fc.record({
  path: fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
  to: fc.oneof(
    fc.constantFrom(undefined, null, '', '0x', -1, 0, 1.5, 2 ** 53, Number.NaN, [], {}, true),
    fc.jsonValue({ maxDepth: 2 }),
  ),
});

/** A copy with the place at `path` replaced. */
function damaged(value: unknown, { path: [at = 0, ...rest], to }: { path: readonly number[]; to: unknown }): unknown {
  if (typeof value !== 'object' || value === null) return to;
  const names = [...Object.keys(value), 'another'];
  const name = names[at % names.length] as string;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[name] = rest.length === 0 ? to : damaged(copy[name], { path: rest, to });
  return copy;
}

describe('a compiled check', () => {
  it.each(SCHEMAS)('gives the same result as the interpreted one: %s', (_, schema) => {
    const [compiled, interpreted] = [createCompiledCheck(schema), createCheck(schema)];
    let valid = 0;
    fc.assert(
      fc.property(valuesOf(schema), damage, (value, one) => {
        const other = damaged(value, one);
        expect(compiled(value)).toEqual(interpreted(value));
        expect(compiled(other)).toEqual(interpreted(other));
        if (compiled(value).ok) valid += 1;
      }),
      { numRuns: 50 },
    );
    expect(valid).toBeGreaterThan(0);
  });
});
