/**
 * The Transport port over libp2p: TCP, Noise, yamux.
 *
 *   send --> outbox (bounded, per peer and lane) --> link (one connection) ==> peer
 *   peer ==> admission --> link --> parser, quota --> onFrame
 *
 * The handshake proves the peer's key, admission judges it, the protocol id proves the chain. A violation of the framing costs its sender
 * the connection.
 */
import type { Libp2p } from '@libp2p/interface';
import type { Lane, PeerEvent, PeerKey, PeerStatus } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { parseAddress } from './addresses.ts';
import { type Admission, createAdmission } from './admission.ts';
import { type Connections, createConnections } from './connections.ts';
import { listenFailure } from './dial-failure.ts';
import { createDialler, type Dialler } from './dialler.ts';
import { NetworkError } from './errors.ts';
import { identityFromSeed, peerIdFromKey } from './identity.ts';
import { createNode } from './libp2p-node.ts';
import {
  applyDefaults,
  type Components,
  type NetworkTransport,
  type PeerAddress,
  type Settings,
  type TransportOptions,
} from './options.ts';
import { boundPeerRecords } from './peer-records.ts';
import { createPeerTable, type PeerTable } from './peers.ts';
import { type Protocols, protocolsOf } from './protocols.ts';

type State = 'new' | 'starting' | 'started' | 'stopped';

/** Throws NetworkError `options-invalid` or `address-malformed`. Starts only once. */
export function createTransport(components: Components, options: TransportOptions): NetworkTransport {
  const { clock, random, telemetry } = components;
  const settings = applyDefaults(options);
  const identity = identityFromSeed(settings.seed);
  const self = identity.peer;
  const protocols = protocolsOf(settings.genesisHash);
  const peers = createPeerTable(telemetry, settings);
  let state: State = 'new';
  let node: Libp2p | undefined;
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  let onFrame: (from: PeerKey, lane: Lane, frame: Uint8Array) => void = () => {};
  let onPeer: (event: PeerEvent) => void = () => {};

  const connections = createConnections(
    {
      clock,
      random,
      telemetry,
      self,
      peers,
      protocols,
      judge: (peer, host) => admission.judge(peer, host),
      refuse: (reason, peer, address) => admission.refuse(reason, peer, address),
      frame: (from, lane, frame) => onFrame(from, lane, frame),
      report: (event) => onPeer(event),
      ended: (peer, how) => dialler.ended(peer, how),
      listed: (peer) => dialler.addressOf(peer) !== undefined,
    },
    settings,
  );
  const admission: Admission = createAdmission({ clock, telemetry, occupancy: connections }, settings);
  const dialler: Dialler = createDialler(
    {
      clock,
      random,
      telemetry,
      self,
      wanted: (peer) => state === 'started' && !connections.has(peer) && !connections.isBlocked(peer),
      async dial(peer, address, signal) {
        const target = parseAddress(address).encapsulate(`/p2p/${peerIdFromKey(peer).toString()}`);
        await node?.dial(target, { signal, force: true });
      },
    },
    settings.dial,
  );

  function setPeers(next: readonly PeerAddress[]): void {
    for (const { peer, address } of next) {
      parseAddress(address);
      if (peer !== self) peers.ensure(peerKeyOf(peer));
    }
    dialler.setPeers(next);
    admission.configure(next.map(({ address }) => parseAddress(address)));
    for (const peer of peers.values()) peers.release(peer, dialler.addressOf(peer.key) !== undefined);
    dialler.wake();
  }
  setPeers(settings.peers);

  async function startOnce(): Promise<void> {
    const metering = {
      clock,
      throttled: () => telemetry.count('network_quota_waits_total', 1, { lane: 'muxer' }),
    };
    node = await createNode(identity.privateKey, admission.gater, metering, settings);
    await listen(node, connections, protocols, settings);
    if (state !== 'starting') return;
    state = 'started';
    dialler.wake();
  }

  async function stopOnce(): Promise<void> {
    state = 'stopped';
    await dialler.stop();
    await starting?.catch(() => {});
    admission.stop();
    connections.closeAll('stopped');
    await node?.stop();
  }

  return {
    self,
    ...createSending(peers, settings),
    peers: (): readonly PeerStatus[] =>
      [...peers.values()].map((peer) => peers.status(peer, dialler.addressOf(peer.key), dialler.failureOf(peer.key))),
    onFrame(handler) {
      onFrame = handler;
    },
    onPeer(handler) {
      onPeer = handler;
    },
    block(peer) {
      connections.close(peers.block(peer), 'blocked');
    },
    unblock(key) {
      const peer = peers.get(key);
      if (peer === undefined || !peer.blocked) return;
      peer.blocked = false;
      peers.release(peer, dialler.addressOf(key) !== undefined);
      dialler.wake(key);
    },
    start() {
      if (state === 'stopped') throw new NetworkError('options-invalid', 'a stopped transport cannot be started again');
      if (starting === undefined) {
        state = 'starting';
        starting = startOnce();
      }
      return starting;
    },
    stop() {
      stopping ??= stopOnce();
      return stopping;
    },
    setPeers,
    rolesChanged: () => connections.rolesChanged(),
    traffic: peers.traffic,
    addresses: () => node?.getMultiaddrs().map(String) ?? [],
  };
}

async function listen(node: Libp2p, connections: Connections, protocols: Protocols, settings: Settings): Promise<void> {
  boundPeerRecords(node);
  for (const [lane, protocol] of [...protocols.lanes, ['ping', protocols.ping] as const]) {
    await node.handle(protocol, (stream, connection) => connections.stream(lane, stream, connection), {
      maxInboundStreams: 1,
      maxOutboundStreams: 1,
    });
  }
  node.addEventListener('connection:open', (event) => connections.opened(event.detail));
  try {
    await node.start();
  } catch (cause) {
    const message = `cannot listen on ${settings.listen.join(', ')}: ${listenFailure(cause)}`;
    throw new NetworkError('listen-failed', message, { listen: settings.listen }, cause);
  }
}

function createSending(
  peers: PeerTable,
  settings: Pick<Settings, 'frameLimits'>,
): Pick<NetworkTransport, 'send' | 'broadcast'> {
  return {
    send(peer, lane, frame) {
      assertSendable(lane, frame, settings);
      const record = peers.get(peer);
      if (record === undefined || !record.connected || record.blocked) return false;
      return record.outbox.push(lane, frame);
    },
    broadcast(lane, frame) {
      assertSendable(lane, frame, settings);
      for (const peer of peers.values()) {
        if (peer.connected && !peer.blocked) peer.outbox.push(lane, frame);
      }
    },
  };
}

function assertSendable(lane: Lane, frame: Uint8Array, { frameLimits }: Pick<Settings, 'frameLimits'>): void {
  const limit = frameLimits.get(frame[0] ?? -1);
  assert(limit !== undefined && limit.lane === lane, `a frame of kind ${frame[0]} belongs to the ${lane} lane`);
  assert(frame.length <= limit.bytesMax, `a frame of kind ${frame[0]} has at most ${limit.bytesMax} bytes`);
}

/** Throws NetworkError `not-ed25519` for an impossible key. */
function peerKeyOf(peer: PeerKey): PeerKey {
  peerIdFromKey(peer);
  return peer;
}
