/** Options and limits of the API, with defaults that suit one node on one machine. */

export interface ApiOptions {
  /** Interface to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 8080; 0 picks a free one. */
  readonly port?: number;
  /** Folder of the built console; without it the node serves the API alone. */
  readonly consoleFolder?: string | undefined;
  /**
   * Names that a Host header may hold beside `localhost`, the host listened on, and literal addresses (which no foreign name
   * can be rebound to).
   */
  readonly hostAllowList?: readonly string[];
  /** Origins, beside this node's own, whose pages may open a stream: `https://ops.example`. */
  readonly originAllowList?: readonly string[];
  /**
   * Addresses and networks of reverse proxies, whose X-Forwarded-For is believed (client-addresses.ts). Default: none. Each must append the
   * address that it was asked from, or write the header anew.
   */
  readonly trustedProxies?: readonly string[];
  readonly admin?: {
    /** Without one, admin routes refuse everybody. */
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
  /** Requests under way; more are answered 503. */
  readonly requestsMax: number;
  readonly requestsPerAddressMax: number;
  /** Bytes of bodies under way; more are answered 503. */
  readonly bodyBytesMax: number;
  readonly bodyBytesPerAddressMax: number;
  /** Requests that wait for a stage; those beyond are answered at once, with what is known. */
  readonly waitsMax: number;
  /** Refill and size of an address's bucket of requests. */
  readonly requestsPerSecond: number;
  readonly requestsBurst: number;
  /** The same for an address that is this machine's own loopback: local tools and benches. */
  readonly loopbackRequestsPerSecond: number;
  readonly streamsMax: number;
  readonly streamsPerAddressMax: number;
  /** Bytes that a stream may have unsent before it is given no more until there is room. */
  readonly streamBufferBytesMax: number;
  /** Bytes that may wait for the reader of a relayed stream: above a full state of a large committee. */
  readonly relayBufferBytesMax: number;
  /** For a node of the fleet to answer. */
  readonly relayConnectMs: number;
  readonly submissionStreamsMax: number;
  readonly submissionStreamsPerAddressMax: number;
  /** Transactions that a client may have sent without having their results. */
  readonly submissionWindow: number;
  /** Accepted and not ended: of one submission stream, and of all. */
  readonly submissionFollowedMax: number;
  readonly submissionFollowedTotalMax: number;
  /** A stream with nothing to say says so this often. */
  readonly heartbeatMs: number;
  readonly headersTimeoutMs: number;
  /** For a request to arrive completely. */
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
  /** Without a byte either way a connection is closed, whatever its answer: above the longest wait, which sends none. */
  readonly idleMs: number;
}

export const API_LIMITS: ApiLimits = {
  connectionsMax: 4_096,
  connectionsPerAddressMax: 256,
  requestsMax: 1_024,
  requestsPerAddressMax: 256, // as many as connections: only requests sent ahead of answers (pipelining) are more
  bodyBytesMax: 64 * 1024 * 1024,
  bodyBytesPerAddressMax: 16 * 1024 * 1024,
  waitsMax: 512,
  requestsPerSecond: 100,
  requestsBurst: 400,
  loopbackRequestsPerSecond: 50_000,
  streamsMax: 256,
  streamsPerAddressMax: 16,
  streamBufferBytesMax: 256 * 1024,
  relayBufferBytesMax: 4 * 1024 * 1024,
  relayConnectMs: 5_000,
  submissionStreamsMax: 64,
  submissionStreamsPerAddressMax: 8,
  submissionWindow: 8_192,
  submissionFollowedMax: 200_000,
  submissionFollowedTotalMax: 500_000,
  heartbeatMs: 5_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 15_000,
  idleMs: 90_000,
};

/** Request line and headers together. */
export const HEADER_BYTES_MAX = 16 * 1024;
/** Addresses that rate limits remember; the ones longest silent are forgotten first. */
export const ADDRESSES_MAX = 10_000;

export type ResolvedOptions = Required<Omit<ApiOptions, 'consoleFolder' | 'admin' | 'limits'>> & {
  readonly consoleFolder: string | undefined;
  readonly admin: { readonly token: string | undefined; readonly loopbackOnly: boolean };
  readonly limits: ApiLimits;
};

export function resolveOptions(options: ApiOptions): ResolvedOptions {
  return {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 8080,
    consoleFolder: options.consoleFolder,
    hostAllowList: options.hostAllowList ?? [],
    originAllowList: options.originAllowList ?? [],
    trustedProxies: options.trustedProxies ?? [],
    admin: { token: options.admin?.token, loopbackOnly: options.admin?.loopbackOnly ?? true },
    version: options.version ?? '0.0.0',
    limits: { ...API_LIMITS, ...options.limits },
  };
}
