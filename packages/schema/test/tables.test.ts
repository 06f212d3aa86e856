import { describe, expect, it } from 'vitest';
import {
  createCheck,
  EVENT_TYPES,
  EVENTS,
  openApiDocument,
  PROBLEM_CODES,
  problem,
  ROUTE_NAMES,
  ROUTE_TABLE,
  routePath,
  TOPICS,
} from '../src/index.ts';

const document = openApiDocument({ version: '0.1.0' });

function collect(value: unknown, found: Record<string, unknown>[] = []): Record<string, unknown>[] {
  if (Array.isArray(value)) for (const item of value) collect(item, found);
  else if (typeof value === 'object' && value !== null) {
    found.push(value as Record<string, unknown>);
    for (const item of Object.values(value)) collect(item, found);
  }
  return found;
}

describe('the tables', () => {
  it('answer problems with the statuses that the interface promises, and 503 as the only 5xx', () => {
    const promised = [400, 401, 404, 405, 408, 409, 410, 413, 415, 422, 429, 503];
    for (const code of PROBLEM_CODES) expect(promised).toContain(problem(code).status);
  });

  it('declare exactly the parameters that a path holds', () => {
    for (const name of ROUTE_NAMES) {
      const inPath = [...ROUTE_TABLE[name].path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key);
      expect(Object.keys(ROUTE_TABLE[name].params.properties)).toEqual(inPath);
    }
  });

  it('have a topic for each event and an event for each topic', () => {
    expect(new Set(EVENT_TYPES.map((type) => EVENTS[type].topic))).toEqual(new Set(TOPICS));
  });

  it('fill and escape path parameters', () => {
    expect(routePath('account', { account: 'a/b' })).toBe('/v1/accounts/a%2Fb');
  });

  it('have no path that clients or proxies rewrite', () => {
    const rewritten = [
      '',
      '.',
      '..',
      '%2e',
      '%2E%2e',
      '.%2e',
      'a/b',
      'a%2Fb',
      'a\\b',
      'a;b',
      'a b',
      'a?b',
      'a#b',
      'é',
      '~',
    ];
    for (const name of ROUTE_NAMES) {
      for (const [key, schema] of Object.entries(ROUTE_TABLE[name].params.properties)) {
        const check = createCheck(schema);
        for (const text of rewritten) expect(check(text).ok, `${name} {${key}} "${text}"`).toBe(false);
      }
    }
  });
});

describe('the OpenAPI document', () => {
  it('describes every route', () => {
    const paths = document.paths as Record<string, Record<string, { operationId: string }>>;
    const operations = Object.values(paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(operations.sort()).toEqual([...ROUTE_NAMES].sort());
  });

  it('resolves every reference', () => {
    const { schemas } = document.components as { schemas: Record<string, unknown> };
    const references = collect(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) expect(schemas).toHaveProperty(reference.replace('#/components/schemas/', ''));
  });

  it('names 304, 405, 413, Allow, Retry-After and Last-Event-ID where they occur', () => {
    interface Operation {
      readonly parameters: readonly { readonly name: string; readonly in: string }[];
      readonly responses: Record<string, { readonly headers?: object }>;
    }
    const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
    const headersOf = (of: Operation | undefined) => of?.parameters.flatMap((p) => (p.in === 'header' ? [p.name] : []));
    expect(headersOf(paths['/v1/events']?.get)).toEqual(['Last-Event-ID']);
    expect(headersOf(paths['/v1/blocks/{block}']?.get)).toEqual(['If-None-Match']);
    expect(Object.keys(paths['/v1/blocks/{block}']?.get?.responses ?? {})).toContain('304');
    for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
      for (const status of ['429', '503']) expect(operation.responses[status]?.headers).toHaveProperty('Retry-After');
      expect(operation.responses[405]?.headers).toHaveProperty('Allow');
      expect(operation.responses).toHaveProperty('413');
    }
  });

  it('gives one name to one schema', () => {
    const byTitle = new Map<string, string>();
    for (const name of ROUTE_NAMES) {
      const schemas = JSON.parse(JSON.stringify(ROUTE_TABLE[name])) as unknown;
      for (const schema of collect(schemas)) {
        if (typeof schema.title !== 'string' || !('type' in schema || 'anyOf' in schema)) continue;
        const text = JSON.stringify(schema);
        expect(byTitle.get(schema.title) ?? text).toBe(text);
        byTitle.set(schema.title, text);
      }
    }
  });
});
