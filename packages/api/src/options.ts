/** The defaults suit one node on one machine. */

export interface ApiOptions {
  /** Interface. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 8080; 0: a free port. */
  readonly port?: number;
  /** Of the built console; undefined: only the API. */
  readonly consoleFolder?: string | undefined;
  /** Accepted in a Host header beside `localhost`, the listening host and literal addresses, which no DNS rebinding can use. */
  readonly hostAllowList?: readonly string[];
  /** Their pages may open a stream, beside this node's own: `https://ops.example`. */
  readonly originAllowList?: readonly string[];
  /**
   * Reverse proxies whose X-Forwarded-For is trusted (client-addresses.ts). Default: none. Each must append its client's address or replace
   * the header.
   */
  readonly trustedProxies?: readonly string[];
  readonly admin?: {
    /** Without it, admin routes refuse every request. */
    readonly token?: string | undefined;
    /** Default true. */
    readonly loopbackOnly?: boolean;
  };
  readonly version?: string;
  readonly limits?: Partial<ApiLimits>;
}

export interface ApiLimits {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** More open ones get 503. */
  readonly requestsMax: number;
  readonly requestsPerAddressMax: number;
  readonly bodyBytesMax: number;
  readonly bodyBytesPerAddressMax: number;
  /** Waits for a stage; more are answered at once. */
  readonly waitsMax: number;
  /** Per address. */
  readonly requestsPerSecond: number;
  readonly requestsBurst: number;
  /** For local tools and benches. */
  readonly loopbackRequestsPerSecond: number;
  readonly streamsMax: number;
  readonly streamsPerAddressMax: number;
  readonly distillStreamsMax: number;
  readonly distillStreamsPerAddressMax: number;
  /** A client that answers no ping until the next one is disconnected. */
  readonly distillPingMs: number;
  /** Above so many unsent bytes a stream gets no more until they drain. */
  readonly streamBufferBytesMax: number;
  /** Above a full state of a large committee. */
  readonly relayBufferBytesMax: number;
  /** For a node of the fleet to accept the connection. */
  readonly relayConnectMs: number;
  /** On an idle stream. */
  readonly heartbeatMs: number;
  readonly headersTimeoutMs: number;
  /** For a request to arrive completely. */
  readonly requestTimeoutMs: number;
  /** An idle connection stays open for this, longer than the connections that common balancers keep (60 s). */
  readonly keepAliveMs: number;
  /** Without traffic. Above the longest wait, which sends nothing. */
  readonly idleMs: number;
}

export const API_LIMITS: ApiLimits = {
  connectionsMax: 4_096,
  connectionsPerAddressMax: 256,
  requestsMax: 1_024,
  requestsPerAddressMax: 256, // only pipelining exceeds it
  bodyBytesMax: 64 * 1024 * 1024,
  bodyBytesPerAddressMax: 16 * 1024 * 1024,
  waitsMax: 512,
  requestsPerSecond: 100,
  requestsBurst: 400,
  loopbackRequestsPerSecond: 50_000,
  streamsMax: 256,
  streamsPerAddressMax: 16,
  distillStreamsMax: 1_024, // each may make the node hold a message of 117 kB
  distillStreamsPerAddressMax: 256,
  distillPingMs: 30_000,
  streamBufferBytesMax: 256 * 1024,
  relayBufferBytesMax: 4 * 1024 * 1024,
  relayConnectMs: 5_000,
  heartbeatMs: 5_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 75_000,
  idleMs: 90_000,
};

/** With the request line. */
export const HEADER_BYTES_MAX = 16 * 1024;
/** Of rate limiters; the least recently seen are evicted. */
export const ADDRESSES_MAX = 10_000;

export type ResolvedOptions = Required<Omit<ApiOptions, 'consoleFolder' | 'admin' | 'limits'>> & {
  readonly consoleFolder: string | undefined;
  readonly admin: { readonly token: string | undefined; readonly loopbackOnly: boolean };
  readonly limits: ApiLimits;
};

/** Idle connections must outlast `keepAliveMs`, or requests on them would meet a closed socket. */
const IDLE_ABOVE_KEEP_ALIVE_MS = 15_000;

export function resolveOptions(options: ApiOptions): ResolvedOptions {
  const limits = { ...API_LIMITS, ...options.limits };
  const idleMs = options.limits?.idleMs ?? Math.max(limits.idleMs, limits.keepAliveMs + IDLE_ABOVE_KEEP_ALIVE_MS);
  return {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 8080,
    consoleFolder: options.consoleFolder,
    hostAllowList: options.hostAllowList ?? [],
    originAllowList: options.originAllowList ?? [],
    trustedProxies: options.trustedProxies ?? [],
    admin: { token: options.admin?.token, loopbackOnly: options.admin?.loopbackOnly ?? true },
    version: options.version ?? '0.0.0',
    limits: { ...limits, idleMs },
  };
}
