import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '@slipstream/node-home';
import { afterEach, expect, it } from 'vitest';
import { openExport } from '../../src/tracing/export.ts';
import { openTracing, tracedOneIn } from '../../src/tracing/tracing.ts';

const ID = `${'01'.repeat(16)}${'02'.repeat(8)}${'03'.repeat(8)}`;
const configOf = (endpoint: string) => ({ 'tracing.endpoint': endpoint, 'tracing.oneIn': 1 }) as Config;
const span = (name: string, isRoot?: true) => ({
  transactionId: ID,
  name,
  fromMs: 1_000,
  toMs: 1_250,
  fields: { thread: 'main', height: 3 },
  ...(isRoot && { isRoot }),
});

let server: Server | undefined;
afterEach(() => void server?.close());

async function collector(answer: number): Promise<{ readonly url: string; readonly bodies: unknown[] }> {
  const bodies: unknown[] = [];
  server = createServer(async (request, response) => {
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part as Uint8Array);
    bodies.push(JSON.parse(Buffer.concat(parts).toString('utf8')));
    response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, bodies };
}

it('nothing is traced without an endpoint', () => {
  expect([tracedOneIn(configOf('')), tracedOneIn(configOf('http://127.0.0.1:1'))]).toEqual([0, 1]);
});

it('spans of one transaction form one trace under the derived root, in one request', async () => {
  const { url, bodies } = await collector(200);
  const tracing = openTracing(openExport, configOf(url), { 'service.name': 'slipstream' });
  tracing.span(span('dissemination.pool'));
  tracing.span(span('transaction', true));
  tracing.span(span('api.notify'));
  await tracing.stop();
  const [traceId, root] = ['01'.repeat(16), '02'.repeat(8)];
  const child = { traceId, parentSpanId: root, startTimeUnixNano: '1000000000', endTimeUnixNano: '1250000000' };
  expect(bodies).toMatchObject([
    {
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'slipstream' } }] },
          scopeSpans: [
            {
              spans: [
                { name: 'dissemination.pool', ...child },
                { name: 'transaction', traceId, spanId: root },
                { name: 'api.notify', ...child },
              ],
            },
          ],
        },
      ],
    },
  ]);
});

it('a collector that refuses or is not there does not fail the stop', async () => {
  const { url } = await collector(400);
  for (const endpoint of [url, 'http://127.0.0.1:9/v1/traces']) {
    const tracing = openTracing(openExport, configOf(endpoint), {});
    tracing.span(span('transaction', true));
    await tracing.stop();
  }
}, 30_000);
