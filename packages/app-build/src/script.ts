/** The script of an artifact: the bundle with its ticks, in a function that defines the application each time it is called. */
import type { Numbers } from '@slipstream/app/program';
import { canonicalJson, LOAD_TICKS_MAX } from '@slipstream/app-realm';
import { BUNDLE, FREEZE, STOP, TICKS } from './names.ts';
import { addTicks } from './ticks.ts';

/**
 * Evaluates to what `app-realm` loads.
 *
 * @param numbers of the lock file; the kit gives free ones to what they lack
 */
export function scriptOf(bundle: string, { tables, actions, events }: Numbers): string {
  return `'use strict';
(() => {
let ${TICKS} = ${LOAD_TICKS_MAX};
const ${FREEZE} = Object.freeze;
const $$interruption = ${FREEZE}({ interrupts: true });
const ${STOP} = () => { throw $$interruption; };
${addTicks(bundle).trim()}
return { program: ${BUNDLE}.define(${canonicalJson({ tables, actions, events })}), setTicks: (n) => { ${TICKS} = n; }, ticksLeft: () => ${TICKS} };
})
`;
}
