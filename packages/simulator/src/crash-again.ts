/**
 * Cuts one node's power at random events until its work is done.
 *
 *   start --> some events --> power cut --> start --> ... --> finished
 */
import { assert } from '@slipstream/primitives';
import { CRASH_MODES, type CrashMode } from './crash.ts';
import { createSimNetwork } from './network.ts';
import { createSimNode, type NodeWorld, type SimNode } from './node.ts';
import { createSimulation } from './simulation.ts';

/** Ends a run without progress. */
const CRASHES_MAX = 2_000;
/** Until the first power cut. */
const FIRST_STEPS_MAX = 25;

export interface CrashAgain {
  readonly seed: number;
  readonly mode: CrashMode | 'any of them';
  /** Between two power cuts; the work needs about as many. */
  readonly stepsMax: number;
  /** Continues from the disk. A rejection fails the run; the promise may stay pending after a crash. */
  readonly work: (world: NodeWorld) => Promise<void>;
  readonly isFinished: () => boolean;
}

export async function crashAgainAndAgain({
  seed,
  mode,
  stepsMax,
  work,
  isFinished,
}: CrashAgain): Promise<SimNode<void>> {
  const simulation = createSimulation({ seed: `${seed}/${mode}` });
  const node = createSimNode(simulation, {
    peer: 'a'.repeat(64) as NodeWorld['peer'],
    network: createSimNetwork(simulation),
    factory: work,
    diskLatencyMs: () => 1,
  });
  const random = simulation.random('crashes');
  let steps = 1 + (seed % FIRST_STEPS_MAX);
  for (let crashes = 0; !isFinished(); crashes++) {
    assert(crashes < CRASHES_MAX, `finished after ${CRASHES_MAX} power cuts`);
    node.start();
    await simulation.run({ stepsMax: steps, until: isFinished });
    assert(node.exitReason === undefined, `the node goes on: ${node.exitReason}`);
    if (!isFinished()) node.crash(mode === 'any of them' ? random.pick(CRASH_MODES) : mode);
    steps = 1 + random.below(stepsMax);
  }
  return node;
}
