/**
 * The API's fake node behind the real API, with continuous events.
 *
 *   npx node console/test/fake-node.ts 8090
 */
import { fileURLToPath } from 'node:url';
import type { Peer, Status } from '@slipstream/schema';
import type { EpochReads } from '../../packages/api/src/index.ts';
import { statusOf } from '../../packages/api/test/fake-node.ts';
import { ADMIN_TOKEN, type RunningApi, runApi } from '../../packages/api/test/running-api.ts';
import { genesis } from '../../packages/client/test/real-chain.ts';
import { playEvents } from './event-player.ts';
import { peerKey } from './peer-key.ts';

const PEERS_DEFAULT = 3;

export interface RunningFake {
  readonly url: string;
  readonly token: string;
  readonly api: RunningApi;
  /** Ends the events; the stream stays open. */
  silence(): void;
  stop(): Promise<void>;
}

export interface FakeOptions {
  readonly port?: number;
  readonly peers?: number | readonly Peer[];
  /** Factor on the events of a chain with five blocks per second. */
  readonly rate?: number;
  readonly name?: string;
  /** Default: a chain that never left its genesis. */
  readonly epochs?: EpochReads;
}

export async function runFakeNode({
  port = 0,
  peers = PEERS_DEFAULT,
  rate = 1,
  name,
  epochs,
}: FakeOptions = {}): Promise<RunningFake> {
  const blocked = new Map<string, NonNullable<Peer['blocked']>>();
  let asked = 0;
  const api = await runApi({
    port,
    consoleFolder: fileURLToPath(new URL('../dist', import.meta.url)),
    backend: {
      ...(epochs !== undefined && { epochs }),
      ...(name !== undefined && { status: async () => statusNamed(name) }),
      peers: async () => {
        asked += 1;
        if (typeof peers !== 'number') return peers;
        return Array.from({ length: peers }, (_, i) => moved(fakePeer(i + 1, blocked), asked));
      },
      unblockPeer: async (key) => {
        if (!blocked.delete(`0x${key}`)) return { type: 'unknown' };
        api.hub.publish('peer.unblocked', { peer: `0x${key}` });
        return { type: 'done' };
      },
    },
  });
  const silence = playEvents(api, (key, block) => blocked.set(key, block), rate);
  return {
    url: api.url,
    token: ADMIN_TOKEN,
    api,
    silence,
    async stop() {
      silence();
      await api.stop();
    },
  };
}

function statusNamed(name: string): Status {
  const status = statusOf(genesis, 0);
  return { ...status, node: { ...status.node, name } };
}

export function fakePeer(
  validator: number,
  blocked: ReadonlyMap<string, NonNullable<Peer['blocked']>> = new Map(),
): Peer {
  const key = peerKey(validator);
  return {
    peer: key,
    name: `${validator < 4 ? 'validator' : 'node'}-${validator}`,
    validator: validator < 4 ? validator : null,
    role: validator < 4 ? 'validator' : 'full-node',
    connected: !blocked.has(key),
    address: `10.0.0.7:${7000 + validator}`,
    roundTripMs: blocked.has(key) ? null : 1 + validator * 0.37,
    bytesIn: 1_234_567 * validator,
    bytesOut: 2_345_678 * validator,
    framesDropped: 0,
    queuedBytes: 0,
    votesSeen: 4_000 + validator,
    votesLate: 12 * validator,
    blocked: blocked.get(key) ?? null,
  };
}

/** At the n-th request bytes and round trip have changed. */
function moved(peer: Peer, asked: number): Peer {
  const { bytesIn, bytesOut, roundTripMs, votesSeen } = peer;
  const trip = roundTripMs === null ? null : roundTripMs * (1 + 0.1 * Math.sin(asked + bytesIn));
  return {
    ...peer,
    bytesIn: bytesIn + 4_096 * asked,
    bytesOut: bytesOut + 2_048 * asked,
    votesSeen: (votesSeen ?? 0) + asked,
    roundTripMs: trip,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url, token } = await runFakeNode({ port: Number(process.argv[2] ?? 8090) });
  process.stdout.write(`${url}  admin token: ${token}\n`);
}
