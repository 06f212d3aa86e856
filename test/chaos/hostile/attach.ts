/** For chaos runs: misbehaving strangers and many connections to both ports of a node. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@slipstream/client';
import { LANES } from '@slipstream/ports';
import type { GenesisHash } from '@slipstream/types';
import { floodWith, GARBAGE, halfAFrame, OVERSIZE, syncRequests } from './attacks.ts';
import { type HostilePeer, startHostilePeer, type Target } from './peer.ts';
import { sendCrowd } from './sockets.ts';

export interface Attack {
  stop(): Promise<void>;
}

const CROWD = 300;
const UNKNOWN_PEERS = 4;
/** Between visits. */
const RETURN_MS = 200;
/** Of a visit that the node does not end. */
const VISIT_MS = 1_500;

export async function attachHostilePeers(
  target: Target & { readonly apiPort: number; readonly client: Client },
): Promise<Attack> {
  const abort = new AbortController();
  const genesisHash = await target.client.genesisHash();
  const crowds = [
    sendCrowd({ port: target.networkPort, count: CROWD, persistent: true }),
    sendCrowd({ port: target.apiPort, count: CROWD, says: 'GET /v1/status HTTP/1.1\r\nhost: ', persistent: true }),
  ];
  const running = Array.from({ length: UNKNOWN_PEERS }, (_, index) => visit(target, genesisHash, index, abort.signal));
  return {
    async stop() {
      abort.abort();
      for (const crowd of crowds) crowd.stop();
      await Promise.all(running);
    },
  };
}

async function visit(target: Target, genesisHash: GenesisHash, index: number, signal: AbortSignal): Promise<void> {
  for (let times = index; !signal.aborted; times++) {
    const attacker = await startHostilePeer({ seed: randomBytes(32), genesisHash, target }).catch(() => undefined);
    if (attacker !== undefined) {
      await misbehave(attacker, times, AbortSignal.any([signal, AbortSignal.timeout(VISIT_MS)])).catch(() => {});
      await attacker.stop();
    }
    await sleep(RETURN_MS, undefined, { signal }).catch(() => {});
  }
}

/** A different attack each time. */
async function misbehave(attacker: HostilePeer, times: number, signal: AbortSignal): Promise<void> {
  const ways = [
    async () => void (await attacker.lane('consensus')).send(GARBAGE),
    async () => void (await attacker.lane('chunk')).send(OVERSIZE),
    async () => await floodWith(await attacker.lane('sync'), syncRequests(), signal),
    async () => {
      for (const lane of LANES) (await attacker.lane(lane)).send(halfAFrame(lane));
      await sleep(VISIT_MS, undefined, { signal }).catch(() => {});
    },
  ] as const;
  await ways[times % ways.length]?.();
}
