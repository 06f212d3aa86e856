/** One request to a node: the path from the route table, the answer typed by it, every failure a ClientError. */
import {
  type AnswerOf,
  PROBLEM_CODES,
  type Problem,
  ROUTE_TABLE,
  ROUTES,
  type RouteName,
  routePath,
} from '@slipstream/schema';
import { ClientError, problemError } from './errors.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface RequestParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Bytes go as SSZ, anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** For this request; the client's default when missing. */
  readonly timeoutMs?: number;
}

export interface RequesterOptions {
  readonly url: string;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly token: string | undefined;
}

export type Requester = <N extends RouteName>(name: N, parts?: RequestParts) => Promise<AnswerOf<N>>;

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
    const deadline = AbortSignal.timeout(timeoutMs);
    const init: RequestInit = {
      method: ROUTES[name].method,
      headers,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      ...(body !== undefined && { body: bytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    };
    try {
      const response = await fetch(target, init);
      return (await readAnswer(response, target)) as AnswerOf<typeof name>;
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

async function readAnswer(response: Response, url: string): Promise<unknown> {
  const text = await response.text();
  const json = parse(text);
  if (response.ok && json !== undefined) return json;
  if (isProblem(json)) throw problemError(json);
  const message = `the answer of ${url} is neither JSON nor a problem (status ${response.status}): is it a Slipstream node?`;
  throw new ClientError('malformed-answer', message, { url, status: response.status, start: text.slice(0, 200) });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(json: unknown): json is Problem {
  if (typeof json !== 'object' || json === null) return false;
  const { code, detail } = json as Partial<Problem>;
  return typeof detail === 'string' && (PROBLEM_CODES as readonly unknown[]).includes(code);
}

/** fetch hides the reason (refused, reset) in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
