/**
 * Checks foreign JSON against a schema.
 *
 * Schemas are interpreted unless the caller passes a compiled check, which a page's Content-Security-Policy forbids. The outermost object's
 * items and names are counted first: checking megabytes of them one by one is slow.
 */
import { fail, ok, type Result } from '@slipstream/primitives';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { ProblemFault } from './problem.ts';
import type { Json } from './scalars.ts';

/** Further faults help no caller. */
const FAULTS_MAX = 8;

export type Check<T> = (value: unknown) => Result<T, readonly ProblemFault[]>;

/** `isValid` must agree with the interpreted schema. */
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

/** Finds too many items or names, before the whole check. */
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
