import { fail, ok, type Result } from '@slipstream/primitives';
import { type Problem, problem, type Route } from '@slipstream/schema';
import type { FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import type { ApiRequest } from './answer.ts';
import { createCompiledCheck } from './compiled-check.ts';

export type CheckedRequest = Pick<ApiRequest, 'params' | 'query' | 'body' | 'headers'>;

export function createRequestCheck(route: Route): (request: FastifyRequest) => Result<CheckedRequest, Problem> {
  const checkParams = createCompiledCheck(route.params);
  const checkQuery = createCompiledCheck(route.query);
  const checkBody = route.body && createCompiledCheck(route.body.json);

  return (request) => {
    const params = checkParams({ ...(request.params as object) });
    if (!params.ok) return fail(problem('bad-parameter', { faults: params.error }));
    const query = checkQuery(withIntegers(request.query, route.query));
    if (!query.ok) return fail(problem('bad-parameter', { faults: query.error }));
    const body = readBody(request.body);
    if (!body.ok) return body;
    return ok({
      params: params.value as CheckedRequest['params'],
      query: query.value as CheckedRequest['query'],
      body: body.value,
      headers: request.headers,
    });
  };

  function readBody(body: unknown): Result<unknown, Problem> {
    if (route.body === undefined || checkBody === undefined) return ok(undefined);
    if (body instanceof Uint8Array) return route.body.bytes ? ok(body) : fail(problem('unsupported-media-type'));
    if (body === undefined && route.body.optional === true) return ok(undefined);
    const checked = checkBody(body);
    return checked.ok ? checked : fail(problem('malformed-body', { faults: checked.error }));
  }
}

/** Query values are strings. */
function withIntegers(query: unknown, schema: TObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query as Record<string, unknown>).map(([key, value]) => {
      const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
      const isInteger = (property as { readonly type?: string } | undefined)?.type === 'integer';
      return [key, isInteger && typeof value === 'string' && /^[0-9]{1,15}$/.test(value) ? Number(value) : value];
    }),
  );
}
