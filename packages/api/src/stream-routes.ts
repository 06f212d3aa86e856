/** The two stream routes: who may open one, and how many. */

import fastifyWebsocket from '@fastify/websocket';
import type { Clock, Telemetry } from '@slipstream/ports';
import { type Problem, problem, ROUTE_TABLE } from '@slipstream/schema';
import type { FastifyRequest } from 'fastify';
import { createOpenCounter } from './addresses.ts';
import type { NodeBackend } from './backend.ts';
import type { HttpServer } from './http-server.ts';
import type { ApiLimits, ResolvedOptions } from './options.ts';
import type { OriginRules } from './origins.ts';
import { createRequestCheck } from './request-check.ts';
import { serveEvents } from './streams/server-sent-events.ts';
import { createSnapshotSource } from './streams/snapshot.ts';
import { parseResume, parseTopics, type StreamSession, type StreamSubscription } from './streams/stream-session.ts';
import { type ServerSocket, SOCKET_MESSAGE_BYTES_MAX, serveWebSocket } from './streams/web-socket.ts';

export interface StreamComponents {
  readonly server: HttpServer;
  readonly backend: NodeBackend;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly origins: OriginRules;
}

export interface Streams {
  /** Says bye to every reader. */
  stop(): void;
}

/** Frames that one message may come in, and pieces that one may wait in. */
const FRAGMENTS_MAX = 16;
const CHUNKS_MAX = 1024;

type Opening =
  | { readonly ok: true; readonly subscription: StreamSubscription }
  | { readonly ok: false; readonly problem: Problem };

export async function registerStreams(
  { server, backend, telemetry, clock, origins }: StreamComponents,
  { limits }: ResolvedOptions,
): Promise<Streams> {
  const { app, sendProblem, answerHeaders } = server;
  const components = { hub: backend.events, snapshots: createSnapshotSource(backend, telemetry), clock };
  const open = createOpenStreams(telemetry, limits);
  const opening = { stream: createOpening('stream', origins), events: createOpening('events', origins) };

  await app.register(fastifyWebsocket, {
    options: {
      maxPayload: SOCKET_MESSAGE_BYTES_MAX,
      maxFragments: FRAGMENTS_MAX,
      maxBufferedChunks: CHUNKS_MAX,
      perMessageDeflate: false,
    },
    errorHandler: (_error: unknown, socket: ServerSocket) => socket.terminate(),
  });

  app.route({
    method: 'GET',
    url: ROUTE_TABLE.stream.path,
    config: { routeName: 'stream' },
    preHandler: (request, reply, next) => {
      const opened = opening.stream(request);
      if (!opened.ok) sendProblem(reply, opened.problem);
      else next();
    },
    handler: (_request, reply) =>
      sendProblem(reply, problem('malformed-request', { detail: 'Connect with a WebSocket, or use /v1/events.' })),
    wsHandler: (socket: ServerSocket, request) => {
      const opened = opening.stream(request);
      const held =
        opened.ok && open.hold(request.ip, () => serveWebSocket(components, socket, opened.subscription, limits));
      if (!held) return socket.close(4429, 'too many open streams');
      socket.on('close', held.release);
    },
  });

  app.route({
    method: 'GET',
    url: ROUTE_TABLE.events.path,
    config: { routeName: 'events' },
    exposeHeadRoute: false,
    handler: (request, reply) => {
      const opened = opening.events(request);
      if (!opened.ok) return sendProblem(reply, opened.problem);
      const held = open.hold(request.ip, () => {
        reply.hijack();
        return serveEvents(components, reply.raw, answerHeaders(), opened.subscription, limits);
      });
      if (held === undefined) return sendProblem(reply, problem('too-many-streams', { retryAfterMs: 5_000 }));
      reply.raw.on('close', held.release);
      return reply;
    },
  });

  return { stop: open.stop };
}

/** Reads what a request asks for: topics, a place to resume at; refuses pages of foreign origins. */
function createOpening(route: 'stream' | 'events', origins: OriginRules): (request: FastifyRequest) => Opening {
  const check = createRequestCheck(ROUTE_TABLE[route]);
  return (request) => {
    const checked = check(request);
    if (!checked.ok) return { ok: false, problem: checked.error };
    if (!origins.originAllowed(request.headers.origin, request.headers.host)) {
      return { ok: false, problem: problem('origin-not-allowed') };
    }
    const { topics: named, resume } = checked.value.query as { readonly topics?: string; readonly resume?: string };
    const topics = parseTopics(named);
    if (topics === undefined) {
      const faults = [{ path: '/topics', message: 'unknown topic' }];
      return { ok: false, problem: problem('bad-parameter', { faults }) };
    }
    const lastId = request.headers['last-event-id'];
    const place = parseResume(typeof lastId === 'string' ? lastId : resume);
    return { ok: true, subscription: { topics, resume: place } };
  };
}

interface OpenStreams extends Streams {
  /** Opens a session and counts it until `release`; undefined when there are too many. */
  hold(address: string, open: () => StreamSession): { readonly release: () => void } | undefined;
}

function createOpenStreams(telemetry: Telemetry, limits: ApiLimits): OpenStreams {
  const counter = createOpenCounter(limits.streamsMax, limits.streamsPerAddressMax);
  const sessions = new Set<StreamSession>();
  return {
    hold(address, open) {
      const close = counter.open(address);
      if (close === undefined) return undefined;
      const session = open();
      sessions.add(session);
      telemetry.gauge('api_streams_open', counter.total);
      return {
        release: () => {
          close();
          sessions.delete(session);
          telemetry.gauge('api_streams_open', counter.total);
        },
      };
    },
    stop() {
      for (const session of sessions) session.end('stopping', 'the node is stopping: connect again');
    },
  };
}
