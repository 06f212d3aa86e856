/**
 * DNS rebinding lets a foreign page reach this node under the page's name, which the browser sends as Host; so only known names and literal
 * addresses pass. CORS does not cover WebSockets, so their Origin is checked.
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
    // Browsers always send Origin with a WebSocket; without it the client is no page.
    if (origin === undefined) return true;
    if (origins.has(origin.toLowerCase())) return true;
    return host !== undefined && isSameHost(origin, host);
  }

  return { hostAllowed, originAllowed };
}

/** Whether a page of `origin` reached it under `host`. Proxies may name the scheme's default port in Host; browsers leave it out of Origin. */
function isSameHost(origin: string, host: string): boolean {
  const page = URL.parse(origin);
  if (page === null || hostName(host) === undefined) return false;
  return page.host !== '' && URL.parse(`${page.protocol}//${host}`)?.host === page.host;
}

/**
 * The name in a Host header without port and brackets; undefined when malformed. RFC 952 has no underscore in names, but DNS
 * allows it and docker-compose 1.29 uses it in container names.
 */
function hostName(host: string): string | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9A-Za-z_.-]+))(?::[0-9]{1,5})?$/.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}
