/**
 *   createApi(components, options) --> start() --> { url } --> stop()
 */
import type { Clock, Telemetry } from '@slipstream/ports';
import type { RouteName } from '@slipstream/schema';
import type { Handler } from './answer.ts';
import type { NodeBackend } from './backend.ts';
import { registerConsole } from './console-files.ts';
import { registerDocsFiles } from './docs/files.ts';
import { ApiError } from './errors.ts';
import { type AuditLog, createAdminHandlers } from './handlers/admin.ts';
import { createApplicationHandlers } from './handlers/applications.ts';
import { createBatchHandlers } from './handlers/batches.ts';
import { createChainHandlers } from './handlers/chain.ts';
import { createEpochHandlers } from './handlers/epochs.ts';
import { createFleetHandlers, type Fleet, NO_FLEET } from './handlers/fleet.ts';
import { createHandoverHandlers } from './handlers/handovers.ts';
import { createNodeHandlers, type MetricsSource } from './handlers/node.ts';
import { createSessionHandlers } from './handlers/sessions.ts';
import { createStateProofHandlers } from './handlers/state-proofs.ts';
import { createTransactionHandlers } from './handlers/transactions.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';
import { type ApiOptions, resolveOptions } from './options.ts';
import { createOriginRules } from './origins.ts';
import { createRunningApplications } from './running-applications.ts';
import { registerStreams, type StreamRouteName, type Streams } from './stream-routes.ts';
import type { DistillBroker } from './streams/distill.ts';
import { createWaits } from './waits.ts';

interface ApiComponents {
  readonly backend: NodeBackend;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly metrics: MetricsSource;
  readonly audit: AuditLog;
  readonly fleet?: Fleet;
  /** Undefined: this node is none. */
  readonly broker?: DistillBroker | undefined;
}

interface ApiAddress {
  /** For clients on this machine. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

interface Api {
  /** Throws ApiError `port-in-use` or `listen-failed`. */
  start(): Promise<ApiAddress>;
  /** Sends bye to streams, ends waits, answers open requests, closes. Idempotent. */
  stop(): Promise<void>;
}

const DRAIN_MS = 1_000;
/** Until sockets are destroyed: for stream readers to answer the bye. */
const BYE_MS = 1_000;

export async function createApi(components: ApiComponents, given: ApiOptions = {}): Promise<Api> {
  const { backend, telemetry, clock, metrics, audit, fleet = NO_FLEET, broker } = components;
  const options = resolveOptions(given);
  const applications = createRunningApplications(backend);
  const origins = createOriginRules(options.host, options.hostAllowList, options.originAllowList);
  const server = createHttpServer({ backend, telemetry, clock, origins }, options);
  const handlers: Readonly<Record<Exclude<RouteName, StreamRouteName>, Handler>> = {
    ...createTransactionHandlers({ backend, waits: createWaits(clock, options.limits.waitsMax), applications }),
    ...createChainHandlers(backend),
    ...createApplicationHandlers(backend, applications, options.version),
    ...createBatchHandlers(backend),
    ...createEpochHandlers(backend),
    ...createHandoverHandlers(backend),
    ...createSessionHandlers(backend),
    ...createStateProofHandlers(backend),
    ...createNodeHandlers({ backend, clock, metrics, version: options.version }),
    ...createAdminHandlers({ backend, telemetry, clock, audit }, options.admin),
    ...createFleetHandlers(fleet),
  };
  const streams = registerStreams({ server, backend, telemetry, clock, origins, fleet, broker }, options);
  for (const [name, handler] of Object.entries(handlers)) server.register(name as RouteName, handler);
  registerDocsFiles(server);
  await registerConsole(server, options.consoleFolder);
  let stopped: Promise<void> | undefined;

  return {
    start: () => listen(server, options.host, options.port),
    stop: () => {
      stopped ??= stop(server, streams, clock);
      return stopped;
    },
  };
}

async function listen({ app }: HttpServer, host: string, port: number): Promise<ApiAddress> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const inUse = (cause as { readonly code?: string }).code === 'EADDRINUSE';
    const message = inUse
      ? `port ${port} of ${host} is in use: stop what uses it, or choose another port for the API`
      : `the API cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new ApiError(inUse ? 'port-in-use' : 'listen-failed', message, { host, port }, cause);
  }
  const address = app.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return { url: `http://${urlHost(host)}:${bound}`, host, port: bound };
}

/** Loopback for all interfaces. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function stop(server: HttpServer, streams: Streams, clock: Clock): Promise<void> {
  streams.stop();
  await server.drain(DRAIN_MS);
  const cancelCut = clock.after(BYE_MS, () => server.cut());
  await server.app.close();
  cancelCut();
}
