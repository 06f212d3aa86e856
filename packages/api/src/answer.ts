/** As handlers see them, independent of HTTP. */
import { type Problem, type ProblemCode, type ProblemDetails, problem } from '@slipstream/schema';

export interface ApiRequest {
  /** Validated against the route table. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  /** JSON of the route's schema, or bytes where the route takes them. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly address: string;
  /** Aborted when the client disconnects or the server stops. */
  readonly signal: AbortSignal;
}

export type Answer =
  | {
      readonly type: 'json';
      readonly status: number;
      readonly json: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'bytes';
      readonly mediaType: string;
      readonly bytes: Uint8Array | string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly type: 'problem'; readonly problem: Problem };

export type Handler = (request: ApiRequest) => Promise<Answer> | Answer;

export function json(value: unknown, status = 200, headers?: Readonly<Record<string, string>>): Answer {
  return { type: 'json', status, json: value, ...(headers && { headers }) };
}

export function bytes(
  mediaType: string,
  content: Uint8Array | string,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return { type: 'bytes', mediaType, bytes: content, ...(headers && { headers }) };
}

export function refuse(code: ProblemCode, details?: ProblemDetails): Answer {
  return { type: 'problem', problem: problem(code, details) };
}
