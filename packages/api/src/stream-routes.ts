/** The two stream routes: who may open one, and how many. */

import fastifyWebsocket from '@fastify/websocket';
import type { Clock, Telemetry } from '@slipstream/ports';
import { type Problem, problem, ROUTE_TABLE } from '@slipstream/schema';
import type { FastifyRequest } from 'fastify';
import { createOpenCounter } from './addresses.ts';
import type { NodeBackend } from './backend.ts';
import type { HttpServer } from './http-server.ts';
import type { ResolvedOptions } from './options.ts';
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
  const counter = createOpenCounter(limits.streamsMax, limits.streamsPerAddressMax);
  const sessions = new Set<StreamSession>();
  const checks = { stream: createRequestCheck(ROUTE_TABLE.stream), events: createRequestCheck(ROUTE_TABLE.events) };

  await app.register(fastifyWebsocket, {
    options: {
      maxPayload: SOCKET_MESSAGE_BYTES_MAX,
      maxFragments: FRAGMENTS_MAX,
      maxBufferedChunks: CHUNKS_MAX,
      perMessageDeflate: false,
    },
    errorHandler: (_error: unknown, socket: ServerSocket) => socket.terminate(),
  });

  function opening(request: FastifyRequest, route: 'stream' | 'events'): Opening {
    const checked = checks[route](request);
    if (!checked.ok) return { ok: false, problem: checked.error };
    if (!origins.originAllowed(request.headers.origin, request.headers.host)) {
      return { ok: false, problem: problem('origin-not-allowed') };
    }
    const { topics: named, resume } = checked.value.query as { readonly topics?: string; readonly resume?: string };
    const topics = parseTopics(named);
    if (topics === undefined) {
      return {
        ok: false,
        problem: problem('bad-parameter', { faults: [{ path: '/topics', message: 'unknown topic' }] }),
      };
    }
    const lastId = request.headers['last-event-id'];
    const place = parseResume(typeof lastId === 'string' ? lastId : resume);
    return { ok: true, subscription: { topics, resume: place } };
  }

  /** Opens a session while counting it; undefined when there are too many. */
  function hold(address: string, open: () => StreamSession): { readonly release: () => void } | undefined {
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
  }

  app.route({
    method: 'GET',
    url: ROUTE_TABLE.stream.path,
    config: { routeName: 'stream' },
    preHandler: (request, reply, next) => {
      const opened = opening(request, 'stream');
      if (!opened.ok) sendProblem(reply, opened.problem);
      else next();
    },
    handler: (_request, reply) =>
      sendProblem(reply, problem('malformed-request', { detail: 'Connect with a WebSocket, or use /v1/events.' })),
    wsHandler: (socket: ServerSocket, request) => {
      const opened = opening(request, 'stream');
      const held = opened.ok && hold(request.ip, () => serveWebSocket(components, socket, opened.subscription, limits));
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
      const opened = opening(request, 'events');
      if (!opened.ok) return sendProblem(reply, opened.problem);
      const held = hold(request.ip, () => {
        reply.hijack();
        return serveEvents(components, reply.raw, answerHeaders(), opened.subscription, limits);
      });
      if (held === undefined) return sendProblem(reply, problem('too-many-streams', { retryAfterMs: 5_000 }));
      reply.raw.on('close', held.release);
      return reply;
    },
  });

  return {
    stop() {
      for (const session of sessions) session.end('stopping', 'the node is stopping: connect again');
    },
  };
}
