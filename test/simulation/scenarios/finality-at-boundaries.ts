/** Finality of clients' transactions around the ends of epochs of whole nodes, against elsewhere. */
import { checkFinality } from '../harness/whole/finality.ts';
import type { Scenario } from '../scenario.ts';
import { finish } from './whole.ts';
import { governed, untilChanged } from './whole-epochs.ts';

const BOUNDARIES = 6;
/** Epochs of fast blocks are hardly longer than what counts as their ends. */
const ELSEWHERE_MS = 4_000;

export const finalityAtBoundaries: Scenario = {
  name: 'finality-at-boundaries',
  about:
    'Weights change at six boundaries of whole nodes under load: transactions that are sent around them become final at most one view later than elsewhere.',
  sizes: [4, 7],
  long: true,
  async play(stage) {
    const { size } = stage;
    const steps = Array.from({ length: BOUNDARIES }, (_, at) => ({
      weights: [{ node: at % size, weight: at < size ? 2 : 1 }],
    }));
    const made = governed(stage, 0, steps);
    made.cluster.start();
    await untilChanged(made);
    await made.cluster.run(ELSEWHERE_MS);
    checkFinality(made.record);
    await finish(made, made.indices);
  },
};
