/**
 * Checking foreign JSON against a schema: all faults, as `{path, message}`, in words.
 *
 * Interpreted, never compiled: compiling builds functions from text, which a page's Content-Security-Policy forbids (and
 * reports as an error even when it is only tried). A transaction takes 35 us.
 */
import { fail, ok, type Result } from '@slipstream/primitives';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { ProblemFault } from './problem.ts';
import type { Json } from './scalars.ts';

/** More than these are not of use to anyone. */
const FAULTS_MAX = 8;

export type Check<T> = (value: unknown) => Result<T, readonly ProblemFault[]>;

export function createCheck<S extends TSchema>(schema: S): Check<Json<S>> {
  return (value) => {
    if (Value.Check(schema, value)) return ok(value as Json<S>);
    const faults: ProblemFault[] = [];
    for (const { instancePath, message, keyword } of Value.Errors(schema, value)) {
      if (keyword === 'boolean') continue;
      if (faults.length === FAULTS_MAX) break;
      faults.push({ path: instancePath, message });
    }
    return fail(faults.length > 0 ? faults : [{ path: '', message: 'does not have the right form' }]);
  };
}
