import type { Clock, Telemetry } from '@slipstream/ports';
import { type Json, type Problem, problem, ROUTE_TABLE, type RouteName, type StreamQuery } from '@slipstream/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from './addresses.ts';
import type { NodeBackend } from './backend.ts';
import type { Fleet } from './handlers/fleet.ts';
import type { HttpServer } from './http-server.ts';
import { routerPath } from './methods.ts';
import type { ResolvedOptions } from './options.ts';
import type { OriginRules } from './origins.ts';
import { type CheckedRequest, createRequestCheck } from './request-check.ts';
import { type DistillBroker, serveDistill } from './streams/distill.ts';
import { createOpenStreams } from './streams/open-streams.ts';
import { type RelayTarget, relayStream } from './streams/relay.ts';
import { serveEvents } from './streams/server-sent-events.ts';
import { createSnapshotSource } from './streams/snapshot.ts';
import { parseResume, parseTopics, type StreamSubscription } from './streams/stream-session.ts';
import { type ServerSocket, serveWebSocket } from './streams/web-socket.ts';
import { createUpgrades, type Upgrades } from './upgrades.ts';

export interface StreamComponents {
  readonly server: HttpServer;
  readonly backend: NodeBackend;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly origins: OriginRules;
  readonly fleet: Fleet;
  /** Undefined: this node is none. */
  readonly broker: DistillBroker | undefined;
}

export interface Streams {
  stop(): void;
}

export type StreamRouteName = Extract<RouteName, 'stream' | 'events' | 'fleetStream' | 'distill'>;

/** Of a reader; above REQUEST_BYTES_MAX, so that the close of the stream names the fault. */
const MESSAGE_BYTES_MAX = 64 * 1024;

type Opening<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

export function registerStreams(components: StreamComponents, { limits }: ResolvedOptions): Streams {
  const { server, backend, telemetry, clock, origins, fleet, broker } = components;
  const upgrades = createUpgrades({ server, clock });
  const door = { server, upgrades };
  const events = { hub: backend.events, snapshots: createSnapshotSource(backend, telemetry, fleet), clock };
  const readers = createOpenStreams(telemetry, {
    name: 'api_streams_open',
    max: limits.streamsMax,
    perAddressMax: limits.streamsPerAddressMax,
  });
  const addressOf = (request: FastifyRequest) => server.addresses.of(request.raw);

  registerSocket(door, 'stream', createOpening('stream', origins, subscriptionOf), (socket, request, subscription) =>
    readers.hold(addressOf(request), () => serveWebSocket(events, socket, subscription, limits)),
  );
  registerSocket(door, 'fleetStream', createOpening('fleetStream', origins, targetOf(fleet)), (socket, request, to) =>
    readers.hold(addressOf(request), () => relayStream({ clock }, socket, to.target, to.search, limits)),
  );
  registerEvents(server, createOpening('events', origins, subscriptionOf), (request, reply, subscription) =>
    readers.hold(addressOf(request), () => {
      reply.hijack();
      return serveEvents(events, reply.raw, server.answerHeaders(), subscription, limits);
    }),
  );
  const clients = createOpenStreams(telemetry, {
    name: 'api_distill_streams_open',
    max: limits.distillStreamsMax,
    perAddressMax: limits.distillStreamsPerAddressMax,
  });
  registerSocket(
    door,
    'distill',
    createOpening('distill', origins, brokerOf(broker)),
    (socket, request, to) => {
      const address = addressGroup(addressOf(request));
      const options = { address, pingMs: limits.distillPingMs };
      return clients.hold(address, () => serveDistill({ broker: to, clock }, socket, options));
    },
    broker?.messageBytesMax,
  );
  return {
    stop() {
      clients.stop();
      readers.stop();
    },
  };
}

interface Door {
  readonly server: HttpServer;
  readonly upgrades: Upgrades;
}

type Held = { readonly release: () => void } | undefined;

function registerSocket<T>(
  { server, upgrades }: Door,
  name: StreamRouteName,
  opening: (request: FastifyRequest) => Opening<T>,
  serve: (socket: ServerSocket, request: FastifyRequest, opened: T) => Held,
  messageBytesMax = MESSAGE_BYTES_MAX,
): void {
  server.app.route({
    method: 'GET',
    url: routerPath(ROUTE_TABLE[name].path),
    config: { routeName: name },
    handler: (request, reply) => {
      const opened = opening(request);
      if (!opened.ok) return server.sendProblem(reply, opened.problem);
      if (!upgrades.asks(request.raw)) {
        return server.sendProblem(reply, problem('malformed-request', { detail: NO_SOCKET[name] }));
      }
      reply.hijack();
      upgrades.accept(request.raw, messageBytesMax, (socket) => {
        const held = serve(socket, request, opened.value);
        if (held === undefined) return socket.close(4429, 'too many open streams');
        socket.on('close', held.release);
      });
      return reply;
    },
  });
}

const NO_SOCKET: Readonly<Record<StreamRouteName, string>> = {
  stream: 'Connect with a WebSocket, or use /v1/events.',
  fleetStream: 'Connect with a WebSocket.',
  events: '',
  distill: 'Connect with a WebSocket.',
};

function registerEvents(
  { app, sendProblem }: HttpServer,
  opening: (request: FastifyRequest) => Opening<StreamSubscription>,
  serve: (request: FastifyRequest, reply: FastifyReply, opened: StreamSubscription) => Held,
): void {
  app.route({
    method: 'GET',
    url: ROUTE_TABLE.events.path,
    config: { routeName: 'events' },
    exposeHeadRoute: false,
    handler: (request, reply) => {
      const opened = opening(request);
      if (!opened.ok) return sendProblem(reply, opened.problem);
      const held = serve(request, reply, opened.value);
      if (held === undefined) return sendProblem(reply, problem('too-many-streams', { retryAfterMs: 5_000 }));
      reply.raw.on('close', held.release);
      return reply;
    },
  });
}

/** Refuses pages of foreign origins. */
function createOpening<T>(
  route: StreamRouteName,
  origins: OriginRules,
  read: (checked: CheckedRequest, request: FastifyRequest) => Opening<T>,
): (request: FastifyRequest) => Opening<T> {
  const check = createRequestCheck(ROUTE_TABLE[route]);
  return (request) => {
    const checked = check(request);
    if (!checked.ok) return { ok: false, problem: checked.error };
    if (!origins.originAllowed(request.headers.origin, request.headers.host)) {
      return { ok: false, problem: problem('origin-not-allowed') };
    }
    return read(checked.value, request);
  };
}

function subscriptionOf({ query }: CheckedRequest, request: FastifyRequest): Opening<StreamSubscription> {
  const { topics: named, resume, past } = query as Json<typeof StreamQuery>;
  const topics = parseTopics(named);
  if (topics === undefined) {
    const faults = [{ path: '/topics', message: 'unknown topic' }];
    return { ok: false, problem: problem('bad-parameter', { faults }) };
  }
  const lastId = request.headers['last-event-id'];
  const place = parseResume(typeof lastId === 'string' ? lastId : resume);
  return { ok: true, value: { topics, resume: place, past: past === 'true' } };
}

function brokerOf(broker: DistillBroker | undefined) {
  return (): Opening<DistillBroker> =>
    broker === undefined ? { ok: false, problem: problem('no-broker') } : { ok: true, value: broker };
}

function targetOf(fleet: Fleet) {
  return ({ params }: CheckedRequest, request: FastifyRequest): Opening<{ target: RelayTarget; search: string }> => {
    const target = fleet.nodes().find(({ name }) => name === params.node);
    if (target === undefined) return { ok: false, problem: problem('fleet-node-unknown') };
    const asked = subscriptionOf({ query: request.query } as CheckedRequest, request);
    const at = request.url.indexOf('?');
    return asked.ok ? { ok: true, value: { target, search: at < 0 ? '' : request.url.slice(at) } } : asked;
  };
}
