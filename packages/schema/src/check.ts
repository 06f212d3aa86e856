/**
 * Checking foreign JSON against a schema: all faults, as `{path, message}`, in words.
 *
 * Interpreted unless the caller brings something better: compiling builds functions from text, which a page's Content-Security-Policy
 * forbids (and reports as an error even when it is only tried). A transaction takes 35 us.
 *
 * Items and names are judged one by one before they are counted: 4 MiB of either took up to 1.6 s, and the schema allowed a
 * thousand. So those of the outermost object, which is as large as its sender likes, are counted first.
 */
import { fail, ok, type Result } from '@slipstream/primitives';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { ProblemFault } from './problem.ts';
import type { Json } from './scalars.ts';

/** More than these are not of use to anyone. */
const FAULTS_MAX = 8;

export type Check<T> = (value: unknown) => Result<T, readonly ProblemFault[]>;

/** `isValid`: the same answer as interpreting the schema gives. */
export function createCheck<S extends TSchema>(
  schema: S,
  isValid: (value: unknown) => boolean = (value) => Value.Check(schema, value),
): Check<Json<S>> {
  const excessOf = createExcessCheck(schema);
  return (value) => {
    const excess = excessOf(value);
    if (excess !== undefined) return fail([excess]);
    if (isValid(value)) return ok(value as Json<S>);
    const faults: ProblemFault[] = [];
    for (const { instancePath, message, keyword } of Value.Errors(schema, value)) {
      if (keyword === 'boolean') continue;
      if (faults.length === FAULTS_MAX) break;
      faults.push({ path: instancePath, message });
    }
    return fail(faults.length > 0 ? faults : [{ path: '', message: 'does not have the right form' }]);
  };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly maxItems?: number }>>;
  readonly additionalProperties?: unknown;
}

/** What an object has too much of to be looked at; undefined when it is judged as a whole. */
function createExcessCheck(schema: TSchema): (value: unknown) => ProblemFault | undefined {
  const { properties = {}, additionalProperties } = schema as ObjectSchema;
  const limits = Object.entries(properties).flatMap(([name, { maxItems }]) =>
    maxItems === undefined ? [] : [{ name, maxItems }],
  );
  const namesMax = additionalProperties === false ? Object.keys(properties).length + FAULTS_MAX : undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    if (namesMax !== undefined && Object.keys(value).length > namesMax) {
      return { path: '', message: 'must not have additional properties' };
    }
    for (const { name, maxItems } of limits) {
      const items: unknown = Object.hasOwn(value, name)
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined;
      if (!Array.isArray(items) || items.length <= maxItems) continue;
      return { path: `/${name}`, message: `must not have more than ${maxItems} items` };
    }
    return undefined;
  };
}
