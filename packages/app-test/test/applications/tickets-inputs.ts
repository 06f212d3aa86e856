import type tickets from '../../../../docs/integrators/examples/applications/tickets.ts';
import type { DrawnInputs } from '../../src/index.ts';

/** No show has seats, so no call takes one. */
const inputs: DrawnInputs<typeof tickets> = { open: () => ({ title: 'a', seats: 0 }) };
export default inputs;
