/**
 * A node for tests of the console alone: the API's own fake node behind the real API, and events that go on by themselves.
 *
 *   npx node console/test/fake-node.ts 8090
 */
import { fileURLToPath } from 'node:url';
import type { Peer } from '@slipstream/schema';
import { ADMIN_TOKEN, type RunningApi, runApi } from '../../packages/api/test/running-api.ts';
import { playEvents } from './event-player.ts';

const PEERS = 3;

export interface RunningFake {
  readonly url: string;
  readonly token: string;
  readonly api: RunningApi;
  stop(): Promise<void>;
}

export async function runFakeNode(port = 0): Promise<RunningFake> {
  const blocked = new Map<string, NonNullable<Peer['blocked']>>();
  const api = await runApi({
    port,
    consoleFolder: fileURLToPath(new URL('../dist', import.meta.url)),
    backend: {
      peers: async () => Array.from({ length: PEERS }, (_, i) => peer(i + 1, blocked)),
      unblockPeer: async (key) => {
        if (!blocked.delete(`0x${key}`)) return { type: 'unknown' };
        api.hub.publish('peer.unblocked', { peer: `0x${key}` });
        return { type: 'done' };
      },
    },
  });
  const stopEvents = playEvents(api, (key, block) => blocked.set(key, block));
  return {
    url: api.url,
    token: ADMIN_TOKEN,
    api,
    async stop() {
      stopEvents();
      await api.stop();
    },
  };
}

function peer(validator: number, blocked: ReadonlyMap<string, NonNullable<Peer['blocked']>>): Peer {
  const key = peerKey(validator);
  return {
    peer: key,
    name: `validator-${validator}`,
    validator,
    role: 'validator',
    connected: !blocked.has(key),
    address: `127.0.0.1:${7000 + validator}`,
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
  return `0x${(validator + 1).toString(16).padStart(2, '0').repeat(32)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url, token } = await runFakeNode(Number(process.argv[2] ?? 8090));
  process.stdout.write(`${url}  admin token: ${token}\n`);
}
