/** What a lying node of an issuer can cost. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createIssuerSource } from '../../src/account/issuer-source.ts';

async function sourceOf(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return createIssuerSource(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const { signal } = new AbortController();
const PIECE = Buffer.alloc(64 * 1024, '0');
const TOO_LARGE = { code: 'network', message: expect.stringContaining('an answer of more than 4194304 bytes') };

test('an endless answer is cut off, and its connection closed', async () => {
  const closed = Promise.withResolvers<void>();
  const source = await sourceOf((_, response) => {
    response.on('close', closed.resolve);
    const more = () => {
      while (!response.destroyed && response.write(PIECE));
    };
    response.on('drain', more);
    more();
  });
  await expect(source.handovers(0, signal)).rejects.toMatchObject(TOO_LARGE);
  await closed.promise;
});

test('a small answer that decompresses to a large one is cut off', async () => {
  const source = await sourceOf((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(8 * 1024 * 1024)));
  });
  await expect(source.members(0, signal)).rejects.toMatchObject(TOO_LARGE);
});

test('a redirect is not followed', async () => {
  const paths: (string | undefined)[] = [];
  const source = await sourceOf(({ url }, response) => {
    paths.push(url);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  await expect(source.genesisHash(signal)).rejects.toMatchObject({ code: 'network' });
  expect(paths).toEqual(['/v1/status']);
});

test('an honest answer passes', async () => {
  const source = await sourceOf((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ items: [], next: null }));
  });
  expect(await source.handovers(0, signal)).toEqual({ items: [], next: null, root: undefined });
});

test('a request ends with its signal', async () => {
  const ending = new AbortController();
  const source = await sourceOf(() => ending.abort());
  await expect(source.handovers(0, ending.signal)).rejects.toMatchObject({ code: 'aborted' });
});
