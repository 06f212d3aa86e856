/** Checking foreign JSON against a schema: all faults, as `{path, message}`, in words. */
import { fail, ok, type Result } from '@slipstream/primitives';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ProblemFault } from './problem.ts';
import type { Json } from './scalars.ts';

/** More than these are not of use to anyone. */
const FAULTS_MAX = 8;

export type Check<T> = (value: unknown) => Result<T, readonly ProblemFault[]>;

/** Compiled once, at the first use. */
export function createCheck<S extends TSchema>(schema: S): Check<Json<S>> {
  let compiled: ReturnType<typeof Compile> | undefined;
  return (value) => {
    compiled ??= Compile(schema);
    if (compiled.Check(value)) return ok(value as Json<S>);
    const faults: ProblemFault[] = [];
    for (const { instancePath, message, keyword } of compiled.Errors(value)) {
      if (keyword === 'boolean') continue;
      if (faults.length === FAULTS_MAX) break;
      faults.push({ path: instancePath, message });
    }
    return fail(faults.length > 0 ? faults : [{ path: '', message: 'does not have the right form' }]);
  };
}
