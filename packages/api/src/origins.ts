/**
 * Who may ask: hosts and origins.
 *
 * A page of a foreign site can make a browser ask this node, by a name that the site rebinds to this node's address. Such a
 * request carries the foreign name in its Host header, so only known names pass; an address in place of a name cannot be
 * rebound. WebSockets are not bound by CORS, so their Origin is checked here.
 */
import { isIP } from 'node:net';

export interface OriginRules {
  hostAllowed(host: string | undefined): boolean;
  originAllowed(origin: string | undefined, host: string | undefined): boolean;
}

export function createOriginRules(
  listenHost: string,
  hostAllowList: readonly string[],
  originAllowList: readonly string[],
): OriginRules {
  const names = new Set(['localhost', listenHost, ...hostAllowList].map((name) => name.toLowerCase()));
  const origins = new Set(originAllowList.map((origin) => origin.toLowerCase().replace(/\/$/, '')));

  function hostAllowed(host: string | undefined): boolean {
    if (host === undefined) return false;
    const name = hostName(host);
    return name !== undefined && (isIP(name) !== 0 || names.has(name) || names.has(host.toLowerCase()));
  }

  function originAllowed(origin: string | undefined, host: string | undefined): boolean {
    // Browsers always send it with a WebSocket; what sends none is no page.
    if (origin === undefined) return true;
    if (origins.has(origin.toLowerCase())) return true;
    return URL.parse(origin)?.host === host?.toLowerCase() && host !== undefined;
  }

  return { hostAllowed, originAllowed };
}

/**
 * The name of a Host header, without port and brackets; undefined when it is malformed. RFC 952 knows no underscore in a name, but DNS
 * carries it, and docker-compose 1.29 joins the names of containers with it.
 */
function hostName(host: string): string | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9A-Za-z_.-]+))(?::[0-9]{1,5})?$/.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}
