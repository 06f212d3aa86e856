import { to0x } from '@slipstream/primitives';
import type { Problem } from '@slipstream/schema';
import { genesisHashOf } from '@slipstream/types';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from './answer.ts';
import type { NodeBackend } from './backend.ts';
import { matchesTag } from './caching.ts';
import { securityHeaders } from './security-headers.ts';

export interface Replies {
  /** Chain, epoch, height and security headers. */
  answerHeaders(): Record<string, string>;
  sendProblem(reply: FastifyReply, problem: Problem): FastifyReply;
  sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply;
}

/** Of transient problems that give no time. */
const RETRY_MS_DEFAULT = 1_000;

export function createReplies(backend: NodeBackend): Replies {
  const chain = to0x(genesisHashOf(backend.genesis));

  const answerHeaders = () => ({
    ...securityHeaders('data'),
    'slipstream-chain': chain,
    'slipstream-epoch': String(backend.epoch()),
    'slipstream-height': String(backend.height()),
    'cache-control': 'no-store',
  });

  function sendProblem(reply: FastifyReply, body: Problem): FastifyReply {
    reply.headers(answerHeaders()).code(body.status).type('application/problem+json');
    const passes = body.status === 503 || body.status === 429;
    const retryAfterMs = body.retryAfterMs ?? (passes ? RETRY_MS_DEFAULT : undefined);
    if (retryAfterMs !== undefined) reply.header('retry-after', String(Math.ceil(retryAfterMs / 1000)));
    if (body.status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.send(JSON.stringify(body));
  }

  function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
    if (answer.type === 'problem') return sendProblem(reply, answer.problem);
    reply.headers({ ...answerHeaders(), ...answer.headers });
    if (answer.type === 'bytes' && answer.mediaType.startsWith('text/html')) reply.headers(securityHeaders('docs'));
    if (matchesTag(request.headers['if-none-match'], answer.headers?.etag)) return reply.code(304).send();
    if (answer.type === 'bytes') return reply.code(200).type(answer.mediaType).send(answer.bytes);
    return reply.code(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(answer.json));
  }

  return { answerHeaders, sendProblem, sendAnswer };
}
