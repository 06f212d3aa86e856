/**
 * A node for tests of the console alone: the API's own fake node behind the real API, and events that go on by themselves.
 *
 *   npx node console/test/fake-node.ts 8090
 */
import { fileURLToPath } from 'node:url';
import type { Peer } from '@slipstream/schema';
import { ADMIN_TOKEN, type RunningApi, runApi } from '../../packages/api/test/running-api.ts';
import { playEvents } from './event-player.ts';

const PEERS_DEFAULT = 3;

export interface RunningFake {
  readonly url: string;
  readonly token: string;
  readonly api: RunningApi;
  /** No more events; the stream stays open. */
  silence(): void;
  stop(): Promise<void>;
}

export interface FakeOptions {
  readonly port?: number;
  /** How many, or which. */
  readonly peers?: number | readonly Peer[];
}

export async function runFakeNode({ port = 0, peers = PEERS_DEFAULT }: FakeOptions = {}): Promise<RunningFake> {
  const blocked = new Map<string, NonNullable<Peer['blocked']>>();
  const api = await runApi({
    port,
    consoleFolder: fileURLToPath(new URL('../dist', import.meta.url)),
    backend: {
      peers: async () =>
        typeof peers === 'number' ? Array.from({ length: peers }, (_, i) => fakePeer(i + 1, blocked)) : peers,
      unblockPeer: async (key) => {
        if (!blocked.delete(`0x${key}`)) return { type: 'unknown' };
        api.hub.publish('peer.unblocked', { peer: `0x${key}` });
        return { type: 'done' };
      },
    },
  });
  const silence = playEvents(api, (key, block) => blocked.set(key, block));
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

export function peerKey(validator: number): string {
  return `0x${(validator + 1).toString(16).padStart(4, '0').repeat(16)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url, token } = await runFakeNode({ port: Number(process.argv[2] ?? 8090) });
  process.stdout.write(`${url}  admin token: ${token}\n`);
}
