/** Errors of Node's HTTP parser, of fastify, of full queues and of a paused node as problems. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@slipstream/ports';
import { type Problem, type ProblemCode, problem } from '@slipstream/schema';

const CODES: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed-json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed-json',
  'json-too-large': 'too-large',
  HPE_HEADER_OVERFLOW: 'too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
  'queue-full': 'overloaded',
};

/** Code of errors while the node exchanges its stores; the message says why. */
const PAUSED = 'paused';
/** An exchange takes a second or two. */
const PAUSED_RETRY_MS = 1_000;

/** Undefined: a fault of this node. */
export function problemOfError(error: Error): Problem | undefined {
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  const known = typeof code === 'string' && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
  if (known !== undefined) return problem(known);
  if (code === PAUSED) return problem('not-ready', { detail: error.message, retryAfterMs: PAUSED_RETRY_MS });
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined;
  return error instanceof SyntaxError ? problem('malformed-json') : problem('malformed-request');
}

/** For the client to read the answer; without a bound a sending client could hold the connection. */
export const READ_ANSWER_MS = 1_000;

/** On the bare socket: no request was parsed. */
export function createClientErrorAnswer({ after }: Pick<Clock, 'after'>): (error: Error, socket: Socket) => void {
  return (error, socket) => {
    const { code } = error as { readonly code?: string };
    if (code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(answerTo(code));
    const cancel = after(READ_ANSWER_MS, () => socket.destroy());
    socket.once('close', cancel);
  };
}

function answerTo(code = ''): string {
  const answer = problem(CODES[code] ?? 'malformed-request');
  const body = JSON.stringify(answer);
  return [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
