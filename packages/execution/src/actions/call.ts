/** call: fails by the application's own rules, or as it breaks those of applications.md. */
import type { Call } from '@slipstream/types';
import type { ActionRule } from './rule.ts';

export const callRule: ActionRule<Call> = {
  // Those that it accesses are known after it ran.
  keys: () => [],
  apply: (scratch, call, _, { applications, ...caller }) => applications.call(scratch, call, caller),
};
