/** The interpreter is too slow for events. Not for browsers: content security policies forbid generated code. */
import { type Check, createCheck, type Json } from '@slipstream/schema';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

export function createCompiledCheck<S extends TSchema>(schema: S): Check<Json<S>> {
  let compiled: { Check(value: unknown): boolean } | undefined;
  return createCheck(schema, (value) => {
    compiled ??= Compile(schema);
    return compiled.Check(value);
  });
}
