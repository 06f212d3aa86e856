/** OpenAPI 3.1 from the route table. Schemas with a title become components. */
import { hoist, type JsonObject, type JsonValue, plain, sorted } from './named-schemas.ts';
import { PROBLEMS, type ProblemCode, ProblemSchema } from './problem.ts';
import { COMMON_PROBLEMS, ROUTE_NAMES, ROUTE_TABLE, type Route } from './routes/index.ts';
import { StreamMessageSchema, StreamRequestSchema } from './stream.ts';

interface OpenApiOptions {
  readonly version: string;
  readonly serverUrl?: string;
}

export function openApiDocument({ version, serverUrl = '/' }: OpenApiOptions): JsonObject {
  return openApiOf({
    info: {
      title: 'Slipstream',
      version,
      description:
        'Amounts are decimal strings; bytes are 0x and lower-case hexadecimal digits; heights and times are numbers. Every answer carries the chain, height and epoch it is of in `slipstream-*` headers. Errors are problem+json with a stable `code`. HEAD is answered wherever GET is, except by event streams. The streams are described in /asyncapi.json.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    routes: ROUTE_NAMES.map((name) => [name, ROUTE_TABLE[name]]),
    schemas: [StreamMessageSchema, StreamRequestSchema],
    serverUrl,
  });
}

interface Described {
  readonly info: JsonObject;
  /** By operation. */
  readonly routes: readonly (readonly [name: string, Route])[];
  /** Beyond those of the routes; each has a title. */
  readonly schemas?: readonly unknown[];
  readonly serverUrl?: string;
}

/** Of these routes alone: the node's, or those of an application. */
export function openApiOf({ info, routes, schemas = [], serverUrl = '/' }: Described): JsonObject {
  const components = new Map<string, JsonValue>();
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const [name, route] of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(name, route, components) };
  }
  for (const schema of schemas) hoist(plain(schema), components);
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: serverUrl }],
    paths,
    components: {
      schemas: sorted(components),
      securitySchemes: { adminToken: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(name: string, route: Route, components: Map<string, JsonValue>): JsonValue {
  return {
    operationId: name,
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    tags: [route.tag],
    parameters: [
      ...parameters('path', route, components),
      ...parameters('query', route, components),
      ...headerParameters(route),
    ],
    ...(route.body && { requestBody: requestBody(route.body, components) }),
    responses: { ...answers(route, components), ...problems(route, components) },
    ...(route.tag === 'admin' && { security: [{ adminToken: [] }] }),
  };
}

/** Of a path with an example: a viewer fills it in, so that the request can be tried at once. */
function parameters(place: 'path' | 'query', route: Route, components: Map<string, JsonValue>): readonly JsonValue[] {
  const schema = place === 'path' ? route.params : route.query;
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = plain(property) as { readonly [key: string]: JsonValue };
    const example = place === 'path' && Array.isArray(rest.examples) ? (rest.examples[0] as JsonValue) : undefined;
    return {
      name,
      in: place,
      required: place === 'path',
      ...(description !== undefined && { description }),
      ...(example !== undefined && { example }),
      schema: hoist(rest, components),
    };
  });
}

/** Beyond those of HTTP itself. */
function headerParameters({ tagged, media }: Route): readonly JsonValue[] {
  const header = (name: string, description: string): JsonValue => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  return [
    ...(tagged ? [header('If-None-Match', 'The ETag of an answer that the client has.')] : []),
    ...(media?.includes('text/event-stream')
      ? [header('Last-Event-ID', 'The id of the last message taken in: as `resume`, and before it.')]
      : []),
  ];
}

function requestBody(body: NonNullable<Route['body']>, components: Map<string, JsonValue>): JsonValue {
  return {
    required: body.optional !== true,
    content: {
      'application/json': { schema: hoist(plain(body.json), components) },
      ...(body.bytes && { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }),
    },
  };
}

function answers(route: Route, components: Map<string, JsonValue>): Record<string, JsonValue> {
  const described = Object.entries(route.answers).map(([status, schema]): [string, JsonValue] => {
    const media = route.media ?? (schema ? ['application/json'] : []);
    const content = media.map((type): [string, JsonValue] => {
      const isJson = type === 'application/json' && schema !== undefined;
      return [type, { schema: isJson ? hoist(plain(schema), components) : { type: 'string' } }];
    });
    const description = ANSWERS[Number(status)] ?? 'The answer.';
    return [status, { description, ...(content.length > 0 && { content: Object.fromEntries(content) }) }];
  });
  return { ...Object.fromEntries(described), ...(route.tagged && { 304: { description: ANSWERS[304] as string } }) };
}

const ANSWERS: Readonly<Record<number, string>> = {
  101: 'The connection becomes a WebSocket.',
  200: 'The answer.',
  202: 'Accepted; the stage waited for is not reached yet.',
  304: 'The client has it: `If-None-Match` names its ETag.',
};

const RETRY_AFTER: JsonValue = {
  description: 'Seconds until the same may be sent again. `retryAfterMs` of the problem is exact.',
  schema: { type: 'integer', minimum: 0 },
};

/** By status. */
const HEADERS: Readonly<Record<number, JsonValue>> = {
  405: { Allow: { description: 'Methods of the route, HEAD included.', schema: { type: 'string' } } },
  429: { 'Retry-After': RETRY_AFTER },
  503: { 'Retry-After': RETRY_AFTER },
};

function problems(route: Route, components: Map<string, JsonValue>): Record<string, JsonValue> {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set<ProblemCode>([...COMMON_PROBLEMS, ...route.problems])) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const schema = hoist(plain(ProblemSchema), components);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `- \`${code}\`: ${PROBLEMS[code].title}.`).join('\n'),
        ...(HEADERS[status] !== undefined && { headers: HEADERS[status] }),
        content: { 'application/problem+json': { schema } },
      },
    ]),
  );
}
