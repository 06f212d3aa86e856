/**
 * Requests that fail where no handler can tell: what Node's parser and fastify call them before one sees them, and a full queue
 * behind one, as problems of the table.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, type ProblemCode, problem } from '@slipstream/schema';

const CODES: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed-json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed-json',
  HPE_HEADER_OVERFLOW: 'too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
  'queue-full': 'overloaded', // CodedErrors of the node's queues
};

/** Undefined for a fault of this node. */
export function problemOfError(error: Error): Problem | undefined {
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  const known = typeof code === 'string' && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
  if (known !== undefined) return problem(known);
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined;
  return error instanceof SyntaxError ? problem('malformed-json') : problem('malformed-request');
}

/** Answers on the bare socket: there is no request to answer. */
export function answerClientError(error: Error, socket: Socket): void {
  const { code } = error as { readonly code?: string };
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = problem(CODES[code ?? ''] ?? 'malformed-request');
  const body = JSON.stringify(answer);
  socket.end(
    [
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
      'content-type: application/problem+json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
