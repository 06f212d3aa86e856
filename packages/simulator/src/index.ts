export { CRASH_MODES, type CrashMode } from './crash.ts';
export { type CrashAgain, crashAgainAndAgain } from './crash-again.ts';
export { createSimDisk, type SimDisk } from './disk.ts';
export type { DiskCall, DiskFault, DiskOperation } from './disk-calls.ts';
export { CheckFailure, SimulationFailure } from './errors.ts';
export type { SimEvent } from './event.ts';
export { createSimKeyValue, type SimKeyValue } from './key-value.ts';
export {
  constantLatency,
  jitteredLatency,
  type LatencyModel,
  regionLatency,
  uniformLatency,
} from './latency.ts';
export { createLifetime, type Lifetime } from './lifetime.ts';
export type { LinkFaults } from './link.ts';
export { createSimNetwork, type SimNetwork, type SimNetworkOptions } from './network.ts';
export { createSimNode, type NodeWorld, type SimNode } from './node.ts';
export { createRandom, type SeededRandom } from './random.ts';
export type { SimTransport, SimTransportOptions } from './sim-transport.ts';
export {
  type CheckContext,
  type Checker,
  createSimulation,
  EPOCH_MS,
  type RunOptions,
  type Simulation,
} from './simulation.ts';
