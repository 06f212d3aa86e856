import type { EpochSeal } from '@slipstream/execution';
import type { Telemetry } from '@slipstream/ports';
import { type Broadcast, createBroadcast } from './broadcast.ts';
import type { CommittedBlock, Halt, OrderedBlock } from './components.ts';

export interface Subscriptions {
  readonly ordered: Broadcast<OrderedBlock>;
  readonly committed: Broadcast<CommittedBlock>;
  readonly sealed: Broadcast<EpochSeal>;
  readonly halted: Broadcast<Halt>;
}

export function createSubscriptions(telemetry: Telemetry): Subscriptions {
  return {
    ordered: createBroadcast(telemetry),
    committed: createBroadcast(telemetry),
    sealed: createBroadcast(telemetry),
    halted: createBroadcast(telemetry),
  };
}
