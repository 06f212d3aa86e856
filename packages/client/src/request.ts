/** Path and answer type come from the route table; every failure is a ClientError. */
import {
  type CheckedAnswer,
  checkAnswer,
  createCheck,
  faultsText,
  PROBLEM_CODES,
  type Problem,
  type ProblemCode,
  ProblemSchema,
  problem,
  ROUTE_TABLE,
  ROUTES,
  type RouteName,
  routePath,
} from '@slipstream/schema';
import { deadlineAfter, eitherSignal } from './deadline.ts';
import { ClientError, problemError } from './errors.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

interface RequestParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Bytes as SSZ, other values as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Default: the client's. */
  readonly timeoutMs?: number;
}

interface RequesterOptions {
  readonly url: string;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly token: string | undefined;
}

export type Requester = <N extends RouteName>(name: N, parts?: RequestParts) => Promise<CheckedAnswer<N>>;

export function createRequester({ url, fetch, timeoutMs: defaultMs, token }: RequesterOptions): Requester {
  const base = url.replace(/\/+$/, '');

  return async (name, { params, query = {}, body, signal, timeoutMs = defaultMs } = {}) => {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
    const target = `${base}${routePath(name, params)}${search.size > 0 ? `?${search}` : ''}`;
    const bytes = body instanceof Uint8Array;
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
      ...(token !== undefined && ROUTE_TABLE[name].tag === 'admin' && { authorization: `Bearer ${token}` }),
    };
    const deadline = deadlineAfter(timeoutMs);
    const init: RequestInit = {
      method: ROUTES[name].method,
      headers,
      signal: eitherSignal(signal, deadline),
      ...(body !== undefined && { body: bytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    };
    try {
      const response = await fetch(target, init);
      return (await readAnswer(response, name, target)) as CheckedAnswer<typeof name>;
    } catch (cause) {
      if (cause instanceof ClientError) throw cause;
      if (signal?.aborted) throw new ClientError('aborted', 'the caller ended the request', { url: target }, cause);
      if (deadline.aborted) {
        throw new ClientError('timeout', `no answer from ${base} within ${timeoutMs} ms`, { url: target }, cause);
      }
      throw new ClientError('network', `no answer from ${base}: ${reasonOf(cause)}`, { url: target }, cause);
    }
  };
}

/** Of proxies that reach no node or lose its answer. A node sends them with a problem. */
const isPassing = (status: number) => status === 408 || status === 429 || status >= 500;
/** Limit of a Retry-After: the transaction may expire meanwhile. */
const RETRY_AFTER_MS_MAX = 30_000;

async function readAnswer(response: Response, name: RouteName, url: string): Promise<unknown> {
  const isBytes = ROUTE_TABLE[name].media?.every((type) => type === 'application/octet-stream') === true;
  if (response.ok && isBytes) return new Uint8Array(await response.arrayBuffer());
  const text = await response.text();
  const json = parse(text);
  const checked = response.ok ? checkAnswer(name, response.status, json) : undefined;
  if (checked?.ok) return checked.value;
  const refusal = problemIn(json);
  if (refusal !== undefined) throw problemError(refusal);
  if (isPassing(response.status)) {
    const message = `no node answered at ${url}, something before it did: status ${response.status}`;
    const retryAfterMs = retryAfterMsOf(response.headers.get('retry-after'));
    throw new ClientError('network', message, { url, status: response.status, retryAfterMs });
  }
  const why = checked === undefined || json === undefined ? 'is there one?' : faultsText(checked.error);
  const message = `the answer of ${url} is not what a Slipstream node says (status ${response.status}): ${why}`;
  throw new ClientError('malformed-answer', message, { url, status: response.status, start: text.slice(0, 200) });
}

/** In seconds or as a date (RFC 9110, 10.2.3). */
function retryAfterMsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^[0-9]+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(RETRY_AFTER_MS_MAX, Math.max(0, ms));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const checkProblem = createCheck(ProblemSchema);

/** Code and detail are enough: other fields may be of a newer node, and are left out if they do not have the right form. */
function problemIn(json: unknown): Problem | undefined {
  const checked = checkProblem(json);
  if (checked.ok) return checked.value;
  const { code, detail } = (typeof json === 'object' && json !== null ? json : {}) as Readonly<Record<string, unknown>>;
  if (typeof detail !== 'string' || !(PROBLEM_CODES as readonly unknown[]).includes(code)) return undefined;
  return problem(code as ProblemCode, { detail });
}

/** fetch hides it (refused, reset) in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
