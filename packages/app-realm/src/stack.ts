/** The stack that deep recursion needs, so that it ends by ticks and not, on some machines, by its stack. */
import { resourceLimits } from 'node:worker_threads';
import { RealmError } from './errors.ts';
import { STACK_MIB } from './limits.ts';

/** What V8 says when a stack is full. */
export const STACK_IS_FULL = 'Maximum call stack size exceeded';

/**
 * To be called by a thread before it executes blocks. A realm cannot choose its stack: the Worker's options do.
 *
 * Throws RealmError `stack-too-small`, also in a main thread.
 */
export function assertStack(): void {
  const stackMib = resourceLimits.stackSizeMb ?? 0;
  if (stackMib >= STACK_MIB) return;
  const message = `applications run on a stack of ${STACK_MIB} MiB: start their Worker with resourceLimits.stackSizeMb ${STACK_MIB}`;
  throw new RealmError('stack-too-small', message, { stackMib });
}
