/** One transaction's trace, from two nodes to one collector. */
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { generateKeyPair } from '@slipstream/client';
import { eventually, type TemporaryNetwork, temporaryNetwork } from '@slipstream/devnet';
import { HOME } from '@slipstream/node-home';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

interface Received extends Span {
  readonly node: string | undefined;
  readonly thread: string | undefined;
}

const received: Received[] = [];
let collector: Server;
let network: TemporaryNetwork;

const textOf = (attributes: readonly Attribute[], key: string) =>
  attributes.find((attribute) => attribute.key === key)?.value.stringValue;

function take({ resourceSpans }: Export): void {
  for (const { resource, scopeSpans } of resourceSpans) {
    const node = textOf(resource.attributes, 'service.instance.id');
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
      received.push({ ...span, node, thread: textOf(span.attributes, 'slipstream.thread') });
    }
  }
}

/** Takes OTLP over HTTP as JSON. */
async function startCollector(): Promise<string> {
  collector = createServer(async (request, response) => {
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part as Uint8Array);
    take(JSON.parse(Buffer.concat(parts).toString('utf8')) as Export);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
}

async function traceTo(endpoint: string, home: string): Promise<void> {
  const path = join(home, HOME.config);
  const config = parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, stringify({ ...config, tracing: { endpoint, oneIn: 1 } }));
}

beforeAll(async () => {
  const endpoint = await startCollector();
  network = await temporaryNetwork({ validators: 1, fullNodes: 1 });
  for (const { home } of network.nodes) await traceTo(endpoint, home);
  await network.start();
});

afterAll(async () => {
  await network?.remove();
  collector?.close();
});

const SUBMITTED = ['api.notify', 'api.submit', 'dissemination.pool', 'dissemination.submit', 'transaction'];
const ANYWHERE = [
  'block.certify',
  'block.commit',
  'block.digest',
  'block.execute',
  'block.finalize',
  'dissemination.attest',
];

test('a transaction has one trace from its submission to its notice, over the threads of two nodes', async () => {
  const { client, process } = network.node('full-node-0');
  const { id, status } = await client.faucet(generateKeyPair().accountText, { wait: 'final', timeoutMs: 20_000 });
  expect(status).toBe('final');
  const [traceId, rootSpanId] = [id.slice(2, 34), id.slice(34, 50)];
  const ofTrace = (node: string) => received.filter((span) => span.traceId === traceId && span.node === node);
  const namesOf = (node: string) => new Set(ofTrace(node).map(({ name }) => name));
  await eventually('the spans of both nodes', 20_000, async () => {
    const isWhole = [...SUBMITTED, ...ANYWHERE].every((name) => namesOf('full-node-0').has(name));
    return isWhole && ANYWHERE.every((name) => namesOf('validator-0').has(name)) ? true : undefined;
  });
  expect(SUBMITTED.filter((name) => namesOf('validator-0').has(name))).toEqual([]);
  const threads = new Set(ofTrace('full-node-0').map(({ thread }) => thread));
  expect([...threads].toSorted()).toEqual(['api', 'executor', 'main']);

  const spans = [...ofTrace('full-node-0'), ...ofTrace('validator-0')];
  const roots = spans.filter(({ parentSpanId }) => !parentSpanId);
  expect(roots).toMatchObject([{ name: 'transaction', spanId: rootSpanId, node: 'full-node-0' }]);
  for (const span of spans.filter(({ parentSpanId }) => parentSpanId)) expect(span.parentSpanId).toBe(rootSpanId);
  expect(await process.errors()).toEqual([]);
});
