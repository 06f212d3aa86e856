/**
 * Compiled schema checks. The server has no content security policy that forbids generated code, and the interpreter is too
 * slow for events. A schema is compiled at its first use, because a node uses few of them.
 */
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
