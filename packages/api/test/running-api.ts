/** On a real socket, with a fake node. */
import type { Clock, Telemetry } from '@slipstream/ports';
import { silentTelemetry } from '@slipstream/ports';
import type { AuditEntry } from '@slipstream/schema';
import { onTestFinished } from 'vitest';
import {
  type ApiOptions,
  createApi,
  createEventHub,
  type DistillBroker,
  type EventHub,
  type Fleet,
  type NodeBackend,
} from '../src/index.ts';
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
  readonly audited: AuditEntry[];
  stop(): Promise<void>;
}

export interface RunOptions extends ApiOptions {
  readonly backend?: Partial<NodeBackend>;
  readonly eventsMax?: number;
  readonly fleet?: Fleet;
  readonly broker?: DistillBroker;
  readonly wallMs?: Clock['wallMs'];
}

export async function startApi(options?: RunOptions): Promise<RunningApi> {
  const api = await runApi(options);
  onTestFinished(() => api.stop());
  return api;
}

export const ADMIN_TOKEN = 'a-token-for-tests';

export async function runApi({
  backend,
  eventsMax,
  fleet,
  broker,
  wallMs,
  ...options
}: RunOptions = {}): Promise<RunningApi> {
  const faults: string[] = [];
  const audited: AuditEntry[] = [];
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
  const clock = { ...realClock, ...(wallMs && { wallMs }) };
  const api = await createApi(
    {
      backend: node,
      telemetry,
      clock,
      metrics,
      audit: { record: (entry) => audited.unshift(entry), newest: async () => audited },
      broker,
      ...(fleet && { fleet }),
    },
    { port: 0, admin: { token: ADMIN_TOKEN }, ...options },
  );
  const { url, port } = await api.start();
  return { url, port, node, hub, faults, audited, stop: () => api.stop() };
}
