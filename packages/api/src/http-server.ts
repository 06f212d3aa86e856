/**
 * The HTTP server: everything between a socket and a handler, and back.
 *
 *   socket --caps--> request --host, rate, load--> body --schema--> handler --> answer --> headers, caching, problem+json
 *
 * Whatever goes wrong on the way is a problem of the table; an exception is a fault of this node, logged and answered 503.
 */
import type { ServerResponse } from 'node:http';
import type { Clock, Telemetry } from '@slipstream/ports';
import { to0x } from '@slipstream/primitives';
import { type Problem, problem, ROUTE_TABLE, type RouteName } from '@slipstream/schema';
import { EPOCH, genesisHashOf } from '@slipstream/types';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { createOpenCounter, createRateLimiter } from './addresses.ts';
import type { Answer, ApiRequest, Handler } from './answer.ts';
import type { NodeBackend } from './backend.ts';
import { matchesTag } from './caching.ts';
import { createLoadGuard } from './load-guard.ts';
import { answerClientError, problemOfError } from './malformed-requests.ts';
import { ADDRESSES_MAX, HEADER_BYTES_MAX, type ResolvedOptions } from './options.ts';
import type { OriginRules } from './origins.ts';
import { createRequestCheck } from './request-check.ts';
import { securityHeaders } from './security-headers.ts';

export interface HttpServerComponents {
  readonly backend: NodeBackend;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly origins: OriginRules;
}

export interface HttpServer {
  readonly app: FastifyInstance;
  register(name: RouteName, handler: Handler): void;
  sendProblem(reply: FastifyReply, problem: Problem): FastifyReply;
  /** Headers that every answer carries. */
  answerHeaders(): Record<string, string>;
  /** Ends waits and settles when no request is under way, or after `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

/** A path parameter, percent-encoded: a data name of 28 bytes, three characters each. */
const PARAMETER_CHARACTERS_MAX = 256;
/** How late a timeout of a slow request may be noticed; Node's own default is 30 s. */
const TIMEOUT_CHECK_MS = 2_000;

export function createHttpServer(components: HttpServerComponents, options: ResolvedOptions): HttpServer {
  const { backend, telemetry, clock, origins } = components;
  const { limits } = options;
  const app = createFastify(options);
  const rates = createRateLimiter(clock, { ...limits, addressesMax: ADDRESSES_MAX });
  const load = createLoadGuard(clock, limits);
  const chain = to0x(genesisHashOf(backend.genesis));
  limitConnections(app, options);

  const answerHeaders = () => ({
    ...securityHeaders('data'),
    'slipstream-chain': chain,
    'slipstream-epoch': String(EPOCH),
    'slipstream-height': String(backend.height()),
    'cache-control': 'no-store',
  });

  function sendProblem(reply: FastifyReply, { ...body }: Problem): FastifyReply {
    reply.headers(answerHeaders()).code(body.status).type('application/problem+json');
    const retryAfterMs = body.retryAfterMs ?? (body.status === 503 || body.status === 429 ? 1_000 : undefined);
    if (retryAfterMs !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterMs / 1000)));
    if (body.status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.send(JSON.stringify(body));
  }

  app.addHook('onRequest', (request, reply, next) => {
    const refusal = admit(request, reply);
    if (refusal === undefined) next();
    else sendProblem(reply, refusal);
  });

  function admit(request: FastifyRequest, reply: FastifyReply): Problem | undefined {
    if (!origins.hostAllowed(request.headers.host)) return problem('host-not-allowed');
    const waitMs = rates.take(request.ip);
    if (waitMs > 0) return problem('rate-limited', { retryAfterMs: waitMs });
    const name = routeNameOf(request);
    if (request.headers.upgrade?.toLowerCase() === 'websocket' && name !== 'stream') {
      return problem('malformed-request', { detail: 'Only /v1/stream is a WebSocket.' });
    }
    if (name === 'stream' || name === 'events') return undefined;
    const declared = Number(request.headers['content-length'] ?? Number.NaN);
    const bodyMax = (name && ROUTE_TABLE[name].body?.bytesMax) ?? 0;
    const bodyBytes = Number.isFinite(declared) ? Math.min(declared, bodyMax) : bodyMax;
    return load.admit(reply.raw, bodyBytes) ? undefined : problem('overloaded', { retryAfterMs: 1_000 });
  }

  app.addHook('onResponse', (request, reply, next) => {
    const route = routeNameOf(request) ?? 'none';
    telemetry.count('api_requests_total', 1, { route, status: String(reply.statusCode) });
    telemetry.observe('api_request_ms', reply.elapsedTime, { route });
    next();
  });

  app.setErrorHandler((error: Error, request, reply) => {
    const known = problemOfError(error);
    if (known === undefined) reportFault(error, routeNameOf(request));
    return sendProblem(reply, known ?? problem('internal', { retryAfterMs: 1_000 }));
  });

  function reportFault(error: unknown, route: RouteName | undefined): void {
    const fields = { route, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    telemetry.log('error', 'a request met a fault of this node', fields);
    telemetry.count('api_faults_total', 1, { route: route ?? 'none' });
  }

  function register(name: RouteName, handler: Handler): void {
    const route = ROUTE_TABLE[name];
    const check = createRequestCheck(route);
    app.route({
      method: route.method,
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { routeName: name },
      ...(route.body && { bodyLimit: route.body.bytesMax }),
      handler: async (request, reply) => {
        const checked = check(request);
        if (!checked.ok) return sendProblem(reply, checked.error);
        const asked: ApiRequest = { ...checked.value, address: request.ip, signal: load.signalOf(reply.raw) };
        return sendAnswer(request, reply, await handler(asked));
      },
    });
  }

  function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
    if (answer.type === 'problem') return sendProblem(reply, answer.problem);
    reply.headers({ ...answerHeaders(), ...answer.headers });
    if (answer.type === 'bytes') {
      if (answer.mediaType.startsWith('text/html')) reply.headers(securityHeaders('docs'));
      return reply.code(200).type(answer.mediaType).send(answer.bytes);
    }
    if (matchesTag(request.headers['if-none-match'], answer.headers?.etag)) return reply.code(304).send();
    return reply.code(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(answer.json));
  }

  return { app, register, sendProblem, answerHeaders, drain: (graceMs) => load.drain(graceMs) };
}

function createFastify({ limits }: ResolvedOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    routerOptions: { maxParamLength: PARAMETER_CHARACTERS_MAX },
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: true,
    return503OnClosing: false,
    // Any other protocol to upgrade to (curl offers h2c) is no reason not to answer.
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
    },
    clientErrorHandler: answerClientError,
    // An address that cannot be decoded: there is no route whose hooks and handlers could run.
    frameworkErrors: (error, _request, reply) => {
      const answer = problemOfError(error) ?? problem('malformed-request');
      const raw: ServerResponse = reply.raw;
      raw.writeHead(answer.status, { ...securityHeaders('data'), 'content-type': 'application/problem+json' });
      raw.end(JSON.stringify(answer));
    },
  });
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parseJson(request, body, done),
  );
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  return app;
}

function limitConnections(app: FastifyInstance, { limits }: ResolvedOptions): void {
  const connections = createOpenCounter(limits.connectionsMax, limits.connectionsPerAddressMax);
  app.server.on('connection', (socket) => {
    const close = connections.open(socket.remoteAddress ?? '');
    if (close === undefined) socket.destroy();
    else socket.once('close', close);
  });
}

export function routeNameOf(request: FastifyRequest): RouteName | undefined {
  return (request.routeOptions.config as { readonly routeName?: RouteName }).routeName;
}
