/**
 *   socket --limits--> request --admission--> body --schema--> handler --> answer --> headers, revalidation, problem+json
 *
 * Every client error is a problem of the table. An exception is a fault of this node: logged, 503.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Telemetry } from '@slipstream/ports';
import { type Problem, problem, ROUTE_TABLE, type RouteName } from '@slipstream/schema';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { createOpenCounter, isLoopback } from './addresses.ts';
import { createAdmission, routeNameOf } from './admission.ts';
import type { ApiRequest, Handler } from './answer.ts';
import type { NodeBackend } from './backend.ts';
import { type ClientAddresses, createClientAddresses } from './client-addresses.ts';
import { ApiError } from './errors.ts';
import { holdsTooMuch } from './json-body.ts';
import { createLoadGuard } from './load-guard.ts';
import { createClientErrorAnswer, problemOfError } from './malformed-requests.ts';
import { methodsInstead, routerPath } from './methods.ts';
import { HEADER_BYTES_MAX, type ResolvedOptions } from './options.ts';
import type { OriginRules } from './origins.ts';
import { createReplies, type Replies } from './replies.ts';
import { createRequestCheck } from './request-check.ts';
import { securityHeaders } from './security-headers.ts';
import { createUpgradeRule } from './upgrades.ts';

interface HttpServerComponents {
  readonly backend: NodeBackend;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  readonly origins: OriginRules;
}

export interface HttpServer extends Replies {
  readonly app: FastifyInstance;
  readonly addresses: ClientAddresses;
  register(name: RouteName, handler: Handler): void;
  /** For exceptions outside of requests. */
  reportFault(error: unknown, route: string): void;
  /** Ends waits; resolves when no request is open, or after `graceMs`. */
  drain(graceMs: number): Promise<void>;
  /** Upgraded connections too: the close of Node's server leaves those open. */
  cut(): void;
}

/** Percent-encoded: a data name of 28 bytes, three characters each. */
const PARAMETER_CHARACTERS_MAX = 256;
/** Node's default of 30 s for request timeouts is too coarse. */
const TIMEOUT_CHECK_MS = 2_000;

/** The server never reads their bodies. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const ENCODED = 'The body is compressed, and bodies are taken as they are: send it without Content-Encoding.';

function isEncoded({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity';
}

export function routeUnknown(url: string): Problem {
  const path = url.split('?')[0]?.slice(0, 100);
  return problem('route-unknown', { detail: `There is no route ${path}. See /docs.` });
}

export function createHttpServer(components: HttpServerComponents, options: ResolvedOptions): HttpServer {
  const { backend, telemetry, clock, origins } = components;
  const app = createFastify(options, clock);
  const load = createLoadGuard(clock, options.limits);
  const addresses = createClientAddresses(options.trustedProxies);
  const admission = createAdmission({ clock, origins, load, addresses }, options.limits);
  const replies = createReplies(backend);
  const connections = limitConnections(app, addresses, options);

  app.addHook('onRequest', (request, reply, next) => {
    const refusal = admission(request, reply);
    if (refusal !== undefined) return replies.sendProblem(reply, refusal);
    const name = routeNameOf(request);
    const matched = name !== undefined;
    if (matched && ROUTE_TABLE[name].body !== undefined && isEncoded(request)) {
      reply.header('accept-encoding', 'identity');
      return replies.sendProblem(reply, problem('unsupported-media-type', { detail: ENCODED }));
    }
    const methods = methodsInstead(request.method, request.url, matched);
    // The load guard counts bodies per route, so an unrouted request's body must not be read.
    if (methods === undefined && (matched || BODILESS.has(request.method))) return next();
    if (methods === undefined) return replies.sendProblem(reply, routeUnknown(request.url));
    reply.header('allow', methods.join(', '));
    replies.sendProblem(reply, problem('method-not-allowed'));
  });

  app.addHook('onResponse', (request, reply, next) => {
    const route = routeNameOf(request) ?? 'none';
    telemetry.count('api_requests_total', 1, { route, status: String(reply.statusCode) });
    telemetry.observe('api_request_ms', reply.elapsedTime, { route });
    next();
  });

  app.setErrorHandler((error: Error, request, reply) => {
    const known = problemOfError(error);
    if (known === undefined) reportFault(error, routeNameOf(request) ?? 'none');
    return replies.sendProblem(reply, known ?? problem('internal'));
  });

  function reportFault(error: unknown, route: string): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    telemetry.log('error', 'a request met a fault of this node', { route, error: text });
    telemetry.count('api_faults_total', 1, { route });
  }

  function register(name: RouteName, handler: Handler): void {
    const route = ROUTE_TABLE[name];
    const check = createRequestCheck(route);
    app.route({
      method: route.method,
      url: routerPath(route.path),
      config: { routeName: name },
      ...(route.body && { bodyLimit: route.body.bytesMax }),
      handler: async (request, reply) => {
        const checked = check(request);
        if (!checked.ok) return replies.sendProblem(reply, checked.error);
        const from = { address: addresses.of(request.raw), signal: load.signalOf(reply.raw) };
        const asked: ApiRequest = { ...checked.value, ...from };
        return replies.sendAnswer(request, reply, await handler(asked));
      },
    });
  }

  return {
    ...replies,
    app,
    addresses,
    register,
    reportFault,
    drain: (graceMs) => load.drain(graceMs),
    cut() {
      for (const socket of connections) socket.destroy();
    },
  };
}

function createFastify({ limits }: ResolvedOptions, clock: Clock): FastifyInstance {
  const upgradeRule = createUpgradeRule();
  const app = Fastify({
    logger: false,
    routerOptions: { maxParamLength: PARAMETER_CHARACTERS_MAX },
    connectionTimeout: limits.idleMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: true,
    return503OnClosing: false,
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      shouldUpgradeCallback: upgradeRule.mayUpgrade,
    },
    clientErrorHandler: createClientErrorAnswer(clock),
    // For an address that cannot be decoded, fastify runs no hook and no handler.
    frameworkErrors: (error, _request, reply) => {
      const answer = problemOfError(error) ?? problem('malformed-request');
      const raw: ServerResponse = reply.raw;
      raw.writeHead(answer.status, { ...securityHeaders('data'), 'content-type': 'application/problem+json' });
      raw.end(JSON.stringify(answer));
    },
  });
  upgradeRule.watch(app);
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    if (holdsTooMuch(body)) return done(new ApiError('json-too-large', 'more elements than any route takes', {}));
    parseJson(request, body, done);
  });
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  return app;
}

function limitConnections(
  app: FastifyInstance,
  addresses: ClientAddresses,
  { limits }: ResolvedOptions,
): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const connections = createOpenCounter(limits.connectionsMax, limits.connectionsPerAddressMax);
  app.server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const close = connections.open(address, isLoopback(address) || addresses.isProxy(address));
    if (close === undefined) return void socket.destroy();
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      close();
    });
  });
  return open;
}
