/** An API on a real socket, with a fake node behind it. */
import type { Clock, Telemetry } from '@slipstream/ports';
import { silentTelemetry } from '@slipstream/ports';
import { type ApiOptions, createApi, createEventHub, type EventHub, type NodeBackend } from '../src/index.ts';
import { createFakeNode, type FakeNode } from './fake-node.ts';

export const realClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
};

export interface RunningApi {
  readonly url: string;
  readonly port: number;
  readonly node: FakeNode;
  readonly hub: EventHub;
  readonly faults: string[];
  stop(): Promise<void>;
}

export interface RunOptions extends ApiOptions {
  readonly backend?: Partial<NodeBackend>;
  readonly eventsMax?: number;
}

export const ADMIN_TOKEN = 'a-token-for-tests';

export async function runApi({ backend, eventsMax, ...options }: RunOptions = {}): Promise<RunningApi> {
  const faults: string[] = [];
  const telemetry: Telemetry = {
    ...silentTelemetry,
    log(level, message, fields) {
      if (level === 'error') faults.push(`${message}: ${String(fields?.error ?? JSON.stringify(fields))}`);
    },
  };
  const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
  const hub = createEventHub({ clock: realClock, random, telemetry }, eventsMax === undefined ? {} : { eventsMax });
  const node = createFakeNode(hub, backend);
  const metrics = { contentType: 'text/plain; version=0.0.4', metrics: async () => 'slipstream_up 1\n' };
  const api = await createApi(
    { backend: node, telemetry, clock: realClock, metrics },
    { port: 0, admin: { token: ADMIN_TOKEN }, ...options },
  );
  const { url, port } = await api.start();
  return { url, port, node, hub, faults, stop: () => api.stop() };
}
