import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createClock, createRandom } from '@slipstream/platform';
import { createReplaceableReader } from '../executor/state-reader.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createChannel } from '../threads/channel.ts';
import type { ThreadData } from '../threads/thread.ts';
import { createThreadTelemetry } from '../threads/thread-telemetry.ts';
import { createTurnProfile } from '../threads/turn-profile.ts';
import { watchThread } from '../threads/watch.ts';
import { linkThrough } from './node-link.ts';
import { createApiService } from './service.ts';
import { splitTelemetry } from './split-telemetry.ts';
import { type ApiSetting, type ApiSide, NODE_QUEUES, type NodeSide } from './wire.ts';

const { port, setting } = workerData as ThreadData<ApiSetting>;

/** Thrown outside of all handlers, so that it ends the thread; the main thread reports it and stops the node. */
function fail(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

const turns = setting.profilesTurns ? createTurnProfile() : undefined;
const clock = createClock();
const metrics = createMetrics({ ofProcess: false });
const telemetry = splitTelemetry(
  metrics,
  createThreadTelemetry({
    now: (lines) => void channel.notify('telemetry', lines),
    soon: (lines) => void channel.notifySoon('telemetry', lines),
  }),
);
const state = createReplaceableReader(fail);
parentPort?.on('message', (toExecutor: MessagePort) => state.attach(toExecutor));
const service = createApiService(
  {
    clock,
    random: createRandom(),
    telemetry,
    metrics,
    state,
    node: linkThrough({ call: (...asked) => channel.call(...asked), notify: (...notice) => channel.notify(...notice) }),
  },
  setting,
);
const channel = createChannel<NodeSide, ApiSide>(
  { port, handlers: service.handlers, profiled: turns && { turns, other: 'main' } },
  NODE_QUEUES,
);
watchThread({ clock, telemetry, turns }, 'api', () => [...channel.queues(), ...state.queues()]);
