export { CRASH_MODES, type CrashMode } from './crash.ts';
export { type CrashAgain, crashAgainAndAgain } from './crash-again.ts';
export { createSimDisk, type SimDisk, type SimDiskOptions } from './disk.ts';
export type { DiskCall, DiskFault, DiskOperation } from './disk-calls.ts';
export { CheckFailure, SimulationFailure, type SimulatorErrorCode } from './errors.ts';
export type { SimEvent } from './event.ts';
export { SECTOR_BYTES } from './inode.ts';
export { type BatchCall, createSimKeyValue, type SimKeyValue, type SimKeyValueOptions } from './key-value.ts';
export {
  constantLatency,
  jitteredLatency,
  type LatencyModel,
  type RegionLatencyOptions,
  type RoundTripTable,
  regionLatency,
  uniformLatency,
} from './latency.ts';
export { createLifetime, type Lifetime } from './lifetime.ts';
export type { LinkFaults } from './link.ts';
export { createSimNetwork, type SimNetwork, type SimNetworkOptions, type TappedFrame } from './network.ts';
export { createSimNode, type NodeWorld, type SimNode, type SimNodeOptions } from './node.ts';
export { createRandom, type SeededRandom } from './random.ts';
export type { SimTransport, SimTransportOptions } from './sim-transport.ts';
export {
  type CheckContext,
  type Checker,
  type ClockOptions,
  createSimulation,
  EPOCH_MS,
  type RunOptions,
  type RunReport,
  type Simulation,
} from './simulation.ts';
