/** What a reader gets in place of what is not here. */
import type { ProblemCode } from '@slipstream/schema';
import { type Answer, refuse } from '../answer.ts';
import type { Lookup } from '../backend.ts';

type Missing = Exclude<Lookup<never>, { readonly type: 'found' }>;

/** `code`, `detail`: of what was never here. */
export function missing(found: Missing, code: ProblemCode, detail?: string): Answer {
  if (found.type === 'unknown') return refuse(code, detail === undefined ? {} : { detail });
  return refuse('pruned', found.detail === undefined ? {} : { detail: found.detail });
}
