import { createRequire } from 'node:module';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { asyncApiDocument, EVENT_TYPES, EVENTS, STREAM_MESSAGES } from '../src/index.ts';

interface Described {
  readonly channels: Record<string, { readonly address: string; readonly messages: object }>;
  readonly operations: Record<string, { readonly action: string; readonly messages: readonly { $ref: string }[] }>;
  readonly components: { readonly messages: Record<string, { readonly tags?: readonly { readonly name: string }[] }> };
}

/** The package's main module loads the schemas of all versions. */
const SCHEMA = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json') as TSchema;

const document = asyncApiDocument({ version: '0.1.0' });
const { channels, operations, components } = document as unknown as Described;

function references(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

function resolve(reference: string): unknown {
  const step = (value: unknown, key: string) => (value as Record<string, unknown> | undefined)?.[key];
  return reference
    .replace('#/', '')
    .split('/')
    .reduce(step, document as unknown);
}

describe('the AsyncAPI document', () => {
  const schema = Compile(SCHEMA);

  it('is valid by the schema of AsyncAPI 3', () => {
    expect(schema.Errors(document)[1]).toEqual([]);
    expect(schema.Check({ ...document, operations: { loud: { action: 'shout' } } })).toBe(false);
  });

  it('resolves every reference', () => {
    const all = references(document);
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((reference) => resolve(reference) === undefined)).toEqual([]);
  });

  it('has a message for each event, under its topic, and for each other message of a stream', () => {
    const others = Object.keys(STREAM_MESSAGES).filter((name) => name !== 'event');
    expect(Object.keys(components.messages)).toEqual([...others, ...EVENT_TYPES, 'subscribe']);
    for (const type of EVENT_TYPES) expect(components.messages[type]?.tags).toEqual([{ name: EVENTS[type].topic }]);
  });

  it('has the three streams, of which the WebSockets accept requests', () => {
    expect(Object.values(channels).map(({ address }) => address)).toEqual([
      '/v1/stream',
      '/v1/events',
      '/v1/fleet/{node}/stream',
    ]);
    const taking = Object.entries(operations).filter(([, { action }]) => action === 'receive');
    expect(taking.map(([name]) => name)).toEqual(['stream.subscribe', 'fleetStream.subscribe']);
  });
});
