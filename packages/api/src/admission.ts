/** Admission of a request by host, address rate and load, decided before its body is read. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@slipstream/ports';
import { type Problem, problem, ROUTE_TABLE, type RouteName } from '@slipstream/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createRequestLimiter } from './addresses.ts';
import type { ClientAddresses } from './client-addresses.ts';
import type { LoadGuard } from './load-guard.ts';
import { ADDRESSES_MAX, type ApiLimits } from './options.ts';
import type { OriginRules } from './origins.ts';
import { isWebSocketUpgrade } from './upgrades.ts';

interface AdmissionComponents {
  readonly clock: Clock;
  readonly origins: OriginRules;
  readonly load: LoadGuard;
  readonly addresses: Pick<ClientAddresses, 'of'>;
}

/** Undefined: admitted. */
export type Admission = (request: FastifyRequest, reply: FastifyReply) => Problem | undefined;

const WEB_SOCKETS: ReadonlySet<RouteName | undefined> = new Set<RouteName>(['stream', 'fleetStream', 'distill']);

const TWO_HOSTS = 'The request has more than one Host line.';

/** Probes must work on a busy node, so they have a rate of their own and no load limit. */
const PROBES: ReadonlySet<RouteName | undefined> = new Set<RouteName>(['healthz', 'readyz']);

export function createAdmission(
  { clock, origins, load, addresses }: AdmissionComponents,
  limits: ApiLimits,
): Admission {
  const rates = createRequestLimiter(clock, { ...limits, addressesMax: ADDRESSES_MAX });
  const probeRates = createRequestLimiter(clock, { ...limits, addressesMax: ADDRESSES_MAX });

  return (request, reply) => {
    if (hostLines(request.raw) > 1) return problem('malformed-request', { detail: TWO_HOSTS });
    if (!origins.hostAllowed(request.headers.host)) return problem('host-not-allowed');
    const address = addresses.of(request.raw);
    const name = routeNameOf(request);
    const waitMs = (PROBES.has(name) ? probeRates : rates).take(address);
    if (waitMs > 0) return problem('rate-limited', { retryAfterMs: waitMs });
    if (isWebSocketUpgrade(request.raw) && !WEB_SOCKETS.has(name)) {
      const detail = 'Only the streams are WebSockets: see /docs.';
      return problem('malformed-request', { detail });
    }
    if (name === 'events' || WEB_SOCKETS.has(name) || PROBES.has(name)) return undefined;
    return load.admit(reply.raw, bodyBytesOf(request, name), address) ? undefined : problem('overloaded');
  };
}

/** RFC 9112 3.2: more than one is answered 400. Node takes the first, a proxy in front may have taken the last. */
function hostLines({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
}

/** Bytes of the body at most: the declared length, bounded by the route's maximum. */
function bodyBytesOf(request: FastifyRequest, name: RouteName | undefined): number {
  const most = (name && ROUTE_TABLE[name].body?.bytesMax) ?? 0;
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  return Number.isFinite(declared) ? Math.min(declared, most) : most;
}

export function routeNameOf(request: FastifyRequest): RouteName | undefined {
  return (request.routeOptions.config as { readonly routeName?: RouteName }).routeName;
}
