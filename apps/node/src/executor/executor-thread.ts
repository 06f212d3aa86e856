import { type MessagePort, workerData } from 'node:worker_threads';
import { createClock, createRandom } from '@slipstream/platform';
import { createChannel } from '../threads/channel.ts';
import type { ThreadData } from '../threads/thread.ts';
import { createThreadTelemetry } from '../threads/thread-telemetry.ts';
import { createTurnProfile } from '../threads/turn-profile.ts';
import { watchThread } from '../threads/watch.ts';
import { createCallWatch } from './call-watch.ts';
import { createExecutorService } from './service.ts';
import {
  type ExecutorSide,
  type ExecutorThreadSetting,
  MAIN_QUEUES,
  type MainSide,
  NO_QUEUES,
  type NoSide,
  type StateReadsSide,
} from './wire.ts';

const { port, ports, setting } = workerData as ThreadData<ExecutorThreadSetting>;

/** Thrown outside of all handlers, so that it ends the thread; the main thread reports it and stops the node. */
function fail(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

function serveReads(of: MessagePort): void {
  const profiled = profiledWith('api');
  createChannel<NoSide, StateReadsSide>({ port: of, handlers: service.stateReads, onFault: fail, profiled }, NO_QUEUES);
}

const turns = setting.profilesTurns ? createTurnProfile() : undefined;
const profiledWith = (other: string) => turns && { turns, other };
const clock = createClock();
const telemetry = createThreadTelemetry({
  now: (lines) => void channel.notify('telemetry', lines),
  soon: (lines) => void channel.notifySoon('telemetry', lines),
});
const watch = createCallWatch(setting.callInHand);
const service = createExecutorService(
  { clock, random: createRandom(), telemetry, main: () => channel, fail, watch },
  setting,
);
const channel = createChannel<MainSide, ExecutorSide>(
  { port, handlers: service.handlers, profiled: profiledWith('main') },
  MAIN_QUEUES,
);
for (const reader of ports) serveReads(reader);
watchThread({ clock, telemetry, turns }, 'executor', channel.queues);
