/** WebSockets through a development network's gateway end with either side, and with the gateway. */
import { connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Cluster } from '../src/cluster.ts';
import { startGateway } from '../src/gateway/gateway.ts';

const CLOSED_MS_MAX = 3_000;
const OPENED = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';
const REFUSED = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n';

/** A node behind it does with each connection what the test says. */
async function gatewayTo(serve: (socket: Socket) => void) {
  const held = new Set<Socket>();
  const node = createServer({ allowHalfOpen: true }, (socket) => {
    held.add(
      socket
        .on('error', () => {})
        .once('close', () => held.delete(socket))
        .resume(),
    );
    serve(socket);
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  const { port: apiPort } = node.address() as { readonly port: number };
  const process = { running: true, paused: false, faults: { corruptSignatures: false, cutPeers: [] } };
  const cluster = { nodes: [{ name: 'validator-0', apiPort, process }] } as unknown as Cluster;
  const gateway = await startGateway(cluster, { port: 0, consoleFolder: undefined });
  onTestFinished(async () => {
    await gateway.stop();
    for (const socket of held) socket.destroy();
    node.close();
  });
  return { gateway, held };
}

/** Keeps its side open. */
function ask({ url }: { readonly url: string }, path: string, protocol = 'websocket') {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let said = '';
  socket
    .on('error', () => {})
    .on('data', (data) => {
      said += data.toString('latin1');
    });
  const closed = new Promise<string>((resolve) => {
    const timer = setTimeout(() => resolve('still open'), CLOSED_MS_MAX);
    for (const event of ['end', 'close'] as const) {
      socket.once(event, () => {
        clearTimeout(timer);
        resolve(said);
      });
    }
  });
  const headers = `host: localhost\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n`);
  const answered = new Promise<unknown>((resolve) => socket.once('data', resolve));
  return { socket, closed, answered };
}

async function untilNone(held: ReadonlySet<Socket>): Promise<void> {
  const deadlineMs = performance.now() + CLOSED_MS_MAX;
  while (held.size > 0 && performance.now() < deadlineMs) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(held.size).toBe(0);
}

it.each(['/', '/nothing', '/fleet/unknown/v1/stream'])('a WebSocket at %s is rejected and closed', async (path) => {
  const { gateway } = await gatewayTo(() => {});
  expect(await ask(gateway, path).closed).toMatch(/^HTTP\/1\.1 404 /);
});

it('a WebSocket that the node rejects is closed with the answer of the node', async () => {
  const { gateway, held } = await gatewayTo((socket) => socket.end(REFUSED));
  expect(await ask(gateway, '/v1/stream').closed).toBe(REFUSED);
  await untilNone(held);
});

it('a WebSocket to an unresponsive node ends with its client', async () => {
  const { gateway, held } = await gatewayTo(() => {});
  const { socket, closed } = ask(gateway, '/v1/stream');
  while (held.size === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  socket.end();
  expect(await closed).toBe('');
  for (const each of held) each.end();
  await untilNone(held);
});

it('the gateway stops with open WebSockets, and they end with it', async () => {
  const { gateway, held } = await gatewayTo((socket) => void socket.write(OPENED));
  const { answered, closed } = ask(gateway, '/fleet/validator-0/v1/stream');
  await answered;
  const startedMs = performance.now();
  await Promise.race([gateway.stop(), new Promise((resolve) => setTimeout(resolve, CLOSED_MS_MAX))]);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
  expect(await closed).toBe(OPENED);
  for (const each of held) each.end();
  await untilNone(held);
});

it('an upgrade to another protocol is answered like any request', async () => {
  const { gateway } = await gatewayTo(() => {});
  const { answered } = ask(gateway, '/fleet', 'h2c');
  expect(String(await answered)).toMatch(/^HTTP\/1\.1 200 /);
});
