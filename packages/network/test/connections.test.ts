import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { connect, frameOf, isConnected, type Node, startNode, statusOf, stopAll, until } from './cluster.ts';

afterEach(stopAll);

const typesOf = (node: Node): string[] => node.events.map((event) => event.type);

test('simultaneous dials leave one connection, which each side reports once', async () => {
  for (let round = 0; round < 5; round++) {
    const options = { dial: { firstDialDelayMs: 0 } };
    const [a, b] = await Promise.all([startNode(2 * round, options), startNode(2 * round + 1, options)]);
    a.transport.setPeers([{ peer: b.key, address: b.address }]);
    b.transport.setPeers([{ peer: a.key, address: a.address }]);
    await until(() => isConnected(a, b.key) && isConnected(b, a.key));
    const each = 20;
    for (let sent = 0; sent < each; ) {
      if (a.transport.send(b.key, 'consensus', frameOf('consensus', sent))) sent++;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await until(() => b.frames.length > 0);
    expect(typesOf(a)).toEqual(['connected']);
    expect(typesOf(b)).toEqual(['connected']);
    await stopAll();
  }
});

test('a peer that restarts at another address is reported as lost, then as connected', async () => {
  const a = await startNode(0);
  const b = await startNode(1);
  await connect(a, b);
  await b.transport.stop();
  await until(() => !isConnected(a, b.key));
  expect(typesOf(a)).toEqual(['connected', 'lost']);
  const again = await startNode(1);
  a.transport.setPeers([{ peer: again.key, address: again.address }]);
  await until(() => isConnected(a, b.key) && isConnected(again, a.key));
  expect(typesOf(a)).toEqual(['connected', 'lost', 'connected']);
  a.transport.send(b.key, 'consensus', frameOf('consensus', 1));
  await until(() => again.frames.length === 1);
});

test('after a restart of the side that does not dial, the other one reconnects', async () => {
  const b = await startNode(1);
  const a = await startNode(0);
  await connect(b, a);
  await b.transport.stop();
  await until(() => !isConnected(a, b.key));
  const again = await startNode(1, { peers: [{ peer: a.key, address: a.address }] });
  await until(() => isConnected(a, again.key));
});

test('an address may be a name', async () => {
  const [a, b] = await Promise.all([startNode(0), startNode(1)]);
  const port = b.address.split('/').at(-1);
  a.transport.setPeers([{ peer: b.key, address: `localhost:${port}` }]);
  await until(() => isConnected(a, b.key));
});

test('a changed address is dialled without waiting for the backoff of the old one', async () => {
  const [a, b] = await Promise.all([
    startNode(0, { dial: { backoffMinMs: 100_000, backoffMaxMs: 100_000 } }),
    startNode(1),
  ]);
  a.transport.setPeers([{ peer: b.key, address: '127.0.0.1:1' }]);
  await until(() => (a.telemetry.counts.get('network_dial_failures_total') ?? 0) === 1);
  a.transport.setPeers([{ peer: b.key, address: b.address }]);
  await until(() => isConnected(a, b.key));
});

test('round trips are measured', async () => {
  const [a, b] = await Promise.all([startNode(0), startNode(1)]);
  await connect(a, b);
  await until(() => statusOf(a, b.key)?.roundTripMs !== undefined && statusOf(b, a.key)?.roundTripMs !== undefined);
});

test('an injected delay holds frames back, in order', async () => {
  const delayed = await startNode(0, { linkDelayMs: () => ({ delayMs: 30, jitterMs: 20 }) });
  const sender = await startNode(1);
  await connect(sender, delayed);
  const count = 50;
  for (let i = 0; i < count; i++) sender.transport.send(delayed.key, 'consensus', frameOf('consensus', i));
  await until(() => statusOf(sender, delayed.key)?.framesOut === count);
  expect(delayed.frames).toEqual([]);
  await until(() => delayed.frames.length === count);
  expect(delayed.frames.map(({ frame }) => frame[4])).toEqual(Array.from({ length: count }, (_, i) => i));
  await until(() => (statusOf(delayed, sender.key)?.roundTripMs ?? 0) >= 30);
});

test('stop is idempotent, reports lost connections, and nothing is sent afterwards', async () => {
  const [a, b] = await Promise.all([startNode(0), startNode(1)]);
  await connect(a, b);
  await Promise.all([a.transport.stop(), a.transport.stop()]);
  await a.transport.stop();
  expect(a.events).toEqual([
    { type: 'connected', peer: b.key },
    { type: 'lost', peer: b.key, reason: 'stopped' },
  ]);
  expect(a.transport.send(b.key, 'consensus', frameOf('consensus', 1))).toBe(false);
  await until(() => typesOf(b).includes('lost'));
});

test('frames written before a stop still arrive', async () => {
  const [a, b] = await Promise.all([startNode(0), startNode(1)]);
  await connect(a, b);
  a.transport.send(b.key, 'consensus', frameOf('consensus', 1));
  await until(() => statusOf(a, b.key)?.framesOut === 1);
  await a.transport.stop();
  await until(() => b.frames.length === 1);
});

test('a process exits once its transports have stopped', async () => {
  const script = `
    const { createTransport } = await import(${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)});
    const { realClock, realRandom, createRecorder, genesisHash, frameLimits, seedOf } =
      await import(${JSON.stringify(new URL('./cluster.ts', import.meta.url).href)});
    const create = (index) => createTransport(
      { clock: realClock, random: realRandom, telemetry: createRecorder() },
      { seed: seedOf(index), genesisHash, listen: ['127.0.0.1:0'], peers: [], admit: () => 'validator', frameLimits });
    const [a, b] = [create(0), create(1)];
    await Promise.all([a.start(), b.start()]);
    const connected = new Promise((resolve) => a.onPeer(resolve));
    a.setPeers([{ peer: b.self, address: b.addresses()[0].split('/p2p/')[0] }]);
    await connected;
    await Promise.all([a.stop(), b.stop()]);
    console.log('stopped');
  `;
  const child = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(child.stdout).toBe('stopped\n');
});

test('a transport that was stopped before it started never starts', async () => {
  const a = await startNode(0);
  await a.transport.stop();
  expect(() => a.transport.start()).toThrow(/stopped/);
});
