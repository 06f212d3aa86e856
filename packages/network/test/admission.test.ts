import type { PeerKey } from '@slipstream/ports';
import { afterEach, expect, test } from 'vitest';
import {
  connect,
  frameOf,
  isConnected,
  keyOf,
  type Node,
  seedOf,
  startNode,
  statusOf,
  stopAll,
  until,
} from './cluster.ts';

afterEach(stopAll);

const refused = (node: Node, reason: string): number =>
  node.telemetry.counts.get(`network_refused_total ${reason}`) ?? 0;

test('ten nodes on one host form a full mesh', async () => {
  const nodes = await Promise.all(Array.from({ length: 10 }, (_, i) => startNode(i)));
  const peers = nodes.map(({ key, address }) => ({ peer: key, address }));
  for (const node of nodes) node.transport.setPeers(peers);
  await until(() => nodes.every((node) => node.connected() === 9));
  for (const node of nodes) {
    for (const reason of ['handshake-limit', 'address-limit', 'address-rate', 'arrival-rate']) {
      expect(refused(node, reason)).toBe(0);
    }
  }
});

test('an unknown key is refused right after the handshake, counted and reported', async () => {
  const server = await startNode(0, { admit: () => undefined });
  const unknownNode = await startNode(1);
  unknownNode.transport.setPeers([{ peer: server.key, address: server.address }]);
  await until(() => refused(server, 'unknown-key') >= 2);
  expect(statusOf(unknownNode, server.key)?.failure).toMatch(/its log/);
  expect(unknownNode.events).toEqual([]);
  expect(server.events).toEqual([]);
  expect(server.telemetry.events[0]).toMatchObject({
    type: 'peer.refused',
    fields: { peer: unknownNode.key, reason: 'unknown-key' },
  });
});

test('a peer with another key than the dialled one is not connected', async () => {
  const [dialler, other] = await Promise.all([startNode(0), startNode(1)]);
  dialler.transport.setPeers([{ peer: keyOf(2), address: other.address }]);
  await until(() => (dialler.telemetry.counts.get('network_dial_failures_total') ?? 0) >= 2);
  expect(dialler.connected()).toBe(0);
  const failure = `another key answers at its address: ${other.key}`;
  expect(statusOf(dialler, keyOf(2))?.failure).toBe(failure);
  expect(dialler.telemetry.logs.filter(({ level }) => level === 'info')).toEqual([
    { level: 'info', message: `peer ${keyOf(2)} cannot be reached, and is tried again: ${failure}` },
  ]);
});

test('a dial failure is reported once for each reason, and cleared when the peer is reached', async () => {
  const [dialler, other] = await Promise.all([startNode(0), startNode(1)]);
  const failure = () => statusOf(dialler, other.key)?.failure;
  dialler.transport.setPeers([{ peer: other.key, address: 'no-such-host.invalid:9000' }]);
  await until(
    () => failure()?.startsWith('its name does not resolve') || failure()?.startsWith('the name server') || false,
  );
  dialler.transport.setPeers([{ peer: other.key, address: '127.0.0.1:1' }]);
  await until(() => failure() === 'nothing listens at its address (ECONNREFUSED)');
  await connect(dialler, other);
  expect(failure()).toBeUndefined();
  const reports = dialler.telemetry.logs.filter(
    ({ level, message }) => level === 'info' && message.includes('reached'),
  );
  expect(reports.length).toBe(2);
});

test('a peer of another chain is refused on both sides, with the reason', async () => {
  const here = await startNode(0);
  const there = await startNode(1, { genesisHash: new Uint8Array(32).fill(8) });
  there.transport.setPeers([{ peer: here.key, address: here.address }]);
  await until(() => refused(here, 'other-chain') >= 1 && refused(there, 'other-chain') >= 1);
  await until(() => statusOf(there, here.key)?.failure?.startsWith('it runs another chain') ?? false);
  expect(here.telemetry.events[0]).toMatchObject({
    type: 'peer.refused',
    fields: { peer: there.key, reason: 'other-chain' },
  });
  expect(here.telemetry.logs.map(({ message }) => message).join()).toContain(`peer ${there.key} runs another chain`);
  expect([...here.events, ...there.events]).toEqual([]);
});

test('full nodes are admitted up to their limit, validators beyond it', async () => {
  const validator = keyOf(9);
  const server = await startNode(0, {
    admit: (peer) => (peer === validator ? 'validator' : 'full-node'),
    limits: { fullNodesMax: 2 },
  });
  for (const index of [1, 2]) await connect(await startNode(index), server);
  const third = await startNode(3);
  third.transport.setPeers([{ peer: server.key, address: server.address }]);
  await until(() => refused(server, 'full-node-limit') >= 1);
  await connect(await startNode(9), server);
  expect(server.connected()).toBe(3);
  expect(statusOf(server, validator)?.role).toBe('validator');
  expect(statusOf(server, keyOf(1))?.role).toBe('full-node');
});

test('a peer that became a validator connects again as one, and one that is not admitted any more stays off', async () => {
  const roles = new Map<string, 'validator' | 'full-node'>([
    [keyOf(1), 'full-node'],
    [keyOf(2), 'validator'],
    [keyOf(3), 'validator'],
  ]);
  const server = await startNode(0, { admit: (peer) => roles.get(peer) });
  const [promoted, leaver, staying] = [await startNode(1), await startNode(2), await startNode(3)];
  for (const node of [promoted, leaver, staying]) await connect(node, server);
  roles.set(promoted.key, 'validator');
  roles.delete(leaver.key);
  server.transport.rolesChanged();
  await until(() => refused(server, 'unknown-key') >= 1 && isConnected(server, promoted.key));
  expect(server.events).toContainEqual({ type: 'lost', peer: promoted.key, reason: 'another role' });
  expect(server.events).toContainEqual({ type: 'lost', peer: leaver.key, reason: 'not admitted any more' });
  expect(server.events.filter(({ type, peer }) => type === 'lost' && peer === staying.key)).toEqual([]);
  expect(isConnected(server, leaver.key)).toBe(false);
});

test('a reserved full node displaces the least used unknown peer, and no peer displaces it', async () => {
  const server = await startNode(0, {
    admit: () => 'full-node',
    reserved: [keyOf(8), keyOf(9)],
    limits: { fullNodesMax: 2 },
  });
  const [busy, idle] = [await startNode(1), await startNode(2)];
  for (const unknownNode of [busy, idle]) await connect(unknownNode, server);
  busy.transport.send(server.key, 'sync', frameOf('sync', 1, 1_000));
  await until(() => server.frames.length === 1);
  const first = await startNode(8);
  await connect(first, server);
  expect(server.events.at(-1)).toEqual({ type: 'connected', peer: first.key });
  expect(server.events).toContainEqual({ type: 'lost', peer: idle.key, reason: 'displaced' });
  expect(isConnected(server, busy.key)).toBe(true);
  await until(() => refused(server, 'full-node-limit') >= 1);
  await connect(await startNode(9), server);
  await until(() => !isConnected(server, busy.key));
  expect(server.telemetry.counts.get('network_displaced_total')).toBe(2);
  await until(() => refused(server, 'full-node-limit') >= 3);
  expect(server.connected()).toBe(2);
  expect(isConnected(server, keyOf(8)) && isConnected(server, keyOf(9))).toBe(true);
});

test('without places for unknown peers, reserved full nodes are admitted', async () => {
  const server = await startNode(0, {
    admit: (peer) => (peer === keyOf(9) ? 'full-node' : undefined),
    reserved: [keyOf(9)],
    limits: { fullNodesMax: 0 },
  });
  const unknownNode = await startNode(1);
  unknownNode.transport.setPeers([{ peer: server.key, address: server.address }]);
  await connect(await startNode(9), server);
  await until(() => refused(server, 'unknown-key') >= 1);
  expect(server.connected()).toBe(1);
});

test('unknown peers that fill an address or all connections give way to a validator', async () => {
  for (const limits of [{ connectionsMax: 2 }, { connectionsPerAddressMax: 2 }]) {
    const server = await startNode(0, { admit: (peer) => (peer === keyOf(9) ? 'validator' : 'full-node'), limits });
    for (const index of [1, 2]) await connect(await startNode(index), server);
    await connect(await startNode(9), server);
    expect(server.connected()).toBe(2);
    expect(isConnected(server, keyOf(9))).toBe(true);
    await stopAll();
  }
});

test('a blocked peer is disconnected and refused until it is unblocked', async () => {
  const [a, b] = await Promise.all([startNode(0), startNode(1)]);
  await connect(b, a);
  a.transport.block(b.key);
  expect(a.transport.send(b.key, 'consensus', new Uint8Array([1]))).toBe(false);
  await until(() => refused(a, 'blocked') >= 1);
  expect(statusOf(a, b.key)).toMatchObject({ blocked: true, connected: false });
  expect(a.events).toEqual([
    { type: 'connected', peer: b.key },
    { type: 'lost', peer: b.key, reason: 'blocked' },
  ]);
  a.transport.unblock(b.key);
  await until(() => isConnected(a, b.key) && isConnected(b, a.key));
  expect(a.events.at(-1)).toEqual({ type: 'connected', peer: b.key });
});

test('a seed of the wrong length and a kind without a lane are errors of the caller', async () => {
  await expect(startNode(0, { seed: seedOf(0).subarray(1) })).rejects.toMatchObject({ code: 'options-invalid' });
  await expect(startNode(0, { peers: [{ peer: keyOf(1), address: 'nowhere' }] })).rejects.toMatchObject({
    code: 'address-malformed',
  });
  await expect(startNode(0, { reserved: ['ab' as PeerKey] })).rejects.toMatchObject({ code: 'not-ed25519' });
});
