/**
 * Strangers and Byzantine validators attack a live network: honest transfers become final, no honest node dies or blocks another, memory is
 * bounded.
 */
import { randomBytes } from 'node:crypto';
import type { Stream } from '@libp2p/interface';
import { eventually } from '@slipstream/devnet';
import type { Identity } from '@slipstream/node-home/identity';
import { LANES, type Lane } from '@slipstream/ports';
import { encodeFrame, GENESIS_EPOCH, type GenesisHash } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  bombs,
  falseCertificates,
  floodWith,
  forgedTransactions,
  framed,
  GARBAGE,
  halfAFrame,
  nonsenseTransactions,
  OVERSIZE,
  syncRequests,
  unsolicitedResponses,
  voteSpam,
} from './hostile/attacks.ts';
import { type HostilePeer, startHostilePeer } from './hostile/peer.ts';
import { sendCrowd } from './hostile/sockets.ts';
import { keysOf } from './keys.ts';
import { type AttackedNetwork, attackedNetwork } from './under-attack.ts';

const VICTIM = 'validator-0';
/** Its process is stopped, its keys are used. */
const TRAITOR = 'validator-3';
const HONEST = ['validator-0', 'validator-1', 'validator-2'];

let attacked: AttackedNetwork;
let genesisHash: GenesisHash;
const peers = new Set<HostilePeer>();

beforeAll(async () => {
  attacked = await attackedNetwork();
  genesisHash = await attacked.network.node(VICTIM).client.genesisHash();
});

afterAll(() => attacked?.remove());

async function unknownPeer(options: { readonly answersPings?: boolean; readonly reads?: boolean } = {}) {
  const peer = await startHostilePeer({
    seed: randomBytes(32),
    genesisHash,
    target: attacked.network.node(VICTIM),
    ...options,
  });
  peers.add(peer);
  return peer;
}

async function dismiss(): Promise<void> {
  await Promise.all([...peers].map((peer) => peer.stop()));
  peers.clear();
}

async function metric(name: string, labels: string): Promise<number> {
  const text = await (await fetch(`${attacked.network.node(VICTIM).url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(labels));
  return Number(line?.split(' ').at(-1) ?? 0);
}

test.each([
  { what: 'garbage', bytes: GARBAGE, lane: 'consensus' },
  { what: 'a frame of four declared gigabytes', bytes: OVERSIZE, lane: 'chunk' },
] as const)('an unknown peer that sends $what is disconnected', async ({ bytes, lane }) => {
  await attacked.during([VICTIM], async () => {
    const peer = await unknownPeer();
    (await peer.lane(lane)).send(bytes);
    await eventually('the unknown peer is disconnected', 30_000, async () => (peer.open ? undefined : true));
    return dismiss;
  });
});

test('the chain withstands unknown peers that stop in the middle of the largest frames, on every lane', async () => {
  await attacked.during([VICTIM], async () => {
    for (let count = 0; count < 8; count++) {
      const peer = await unknownPeer();
      for (const lane of LANES) (await peer.lane(lane)).send(halfAFrame(lane));
    }
    return dismiss;
  });
});

const FLOODS: readonly { what: string; lane: Lane; frames: () => Generator<Uint8Array> }[] = [
  { what: 'requests without end', lane: 'sync', frames: syncRequests },
  { what: 'unsolicited responses', lane: 'sync', frames: unsolicitedResponses },
  { what: 'nonsense in place of transactions', lane: 'transaction', frames: nonsenseTransactions },
  {
    what: 'transactions that their senders did not sign',
    lane: 'transaction',
    frames: () => forgedTransactions(genesisHash),
  },
  { what: 'certificates of chunks that do not exist', lane: 'chunk', frames: falseCertificates },
  { what: 'bombs of half a gigabyte', lane: 'chunk', frames: bombs },
];

test.each(FLOODS)(
  'the chain withstands unknown peers that never read and flood with $what',
  async ({ lane, frames }) => {
    await attacked.during([VICTIM], () => flood(lane, frames, 4, unknownPeer));
  },
);

async function flood(
  lane: Lane,
  frames: () => Generator<Uint8Array>,
  count: number,
  start: () => Promise<HostilePeer>,
): Promise<() => Promise<void>> {
  const streams: Stream[] = [];
  // All connect before the flood, which leaves little time for handshakes.
  for (let at = 0; at < count; at++) streams.push(await (await start()).lane(lane));
  return floodAll(streams, frames);
}

function floodAll(streams: readonly Stream[], frames: () => Generator<Uint8Array>): () => Promise<void> {
  const abort = new AbortController();
  const floods = streams.map((stream) => floodWith(stream, frames(), abort.signal));
  return async () => {
    abort.abort();
    const sent = await Promise.all(floods);
    if (sent.length > 0) expect(Math.max(...sent)).toBeGreaterThan(0);
    await dismiss();
  };
}

test('the chain withstands a thousand half-open connections to the peer port, which reconnect when closed', async () => {
  await attacked.during([VICTIM], async () => {
    const crowd = sendCrowd({ port: attacked.network.node(VICTIM).networkPort, count: 1_000, persistent: true });
    await crowd.arrived;
    await eventually('handshakes had to make room', 30_000, async () =>
      (await metric('slipstream_network_refused_total', 'handshake-limit')) > 0 ? true : undefined,
    );
    return () => crowd.stop();
  });
});

test('the chain withstands a thousand connections to the peer port that send half a line and wait', async () => {
  await attacked.during([VICTIM], async () => {
    const says = '\x13/multistream/1.0';
    const crowd = sendCrowd({ port: attacked.network.node(VICTIM).networkPort, count: 1_000, says, persistent: true });
    await crowd.arrived;
    return () => crowd.stop();
  });
});

test('a Byzantine validator that floods every lane makes no honest validator block another', async () => {
  const { network, during } = attacked;
  const keys = await keysOf(network.node(TRAITOR).home);
  await network.kill([TRAITOR]);
  for (const [lane, frames] of [
    ['consensus', () => voteSpam(keys.validator?.index ?? 0)],
    ['chunk', bombs],
    ['transaction', nonsenseTransactions],
    ['sync', unsolicitedResponses],
    [
      'proposal',
      () =>
        repeated(
          framed(
            encodeFrame('historyAnswer', {
              epoch: GENESIS_EPOCH,
              nonce: 1,
              votes: [],
              certificates: [],
              proposals: [],
            }),
          ),
        ),
    ],
  ] as const) {
    await during(HONEST, async () => {
      const streams = await Promise.all(HONEST.map((name) => traitorLane(name, keys, lane)));
      return floodAll(
        streams.filter((stream) => stream !== undefined),
        frames,
      );
    });
  }
  for (const name of HONEST) {
    const { items } = await network.node(name).client.peers();
    expect(items.some(({ blocked, validator }) => blocked !== null && validator === keys.validator?.index)).toBe(true);
    const blamed = items.filter(({ blocked, validator }) => blocked !== null && validator !== null);
    for (const { validator } of blamed) expect(validator).toBe(keys.validator?.index);
  }
});

function* repeated(frame: Uint8Array): Generator<Uint8Array> {
  for (;;) yield frame;
}

/** Undefined once the honest nodes blocked it. */
async function traitorLane(name: string, { peerSeed }: Identity, lane: Lane): Promise<Stream | undefined> {
  const target = attacked.network.node(name);
  const peer = await startHostilePeer({ seed: peerSeed, genesisHash, target }).catch(() => undefined);
  if (peer === undefined) return undefined;
  peers.add(peer);
  return await peer.lane(lane).catch(() => undefined);
}

test('no honest node exits or logs an error', async () => {
  for (const name of HONEST) {
    const { process } = attacked.network.node(name);
    expect(process.running).toBe(true);
    expect(process.restarts).toBe(0);
    expect(await process.errors()).toEqual([]);
  }
});
