import { type Lane, type PeerKey, type PeerStatus, silentTelemetry } from '@slipstream/ports';
import { sha256 } from '@slipstream/primitives';
import { createRandom } from '@slipstream/simulator';
import {
  ARTIFACT_PIECE_BYTES,
  createCommittee,
  decodeFrame,
  type SyncRequest,
  type SyncResponse,
} from '@slipstream/types';
import { describe, expect, test } from 'vitest';
import { peerOf } from '../../consensus/test/core-world.ts';
import type { SyncAsk } from '../src/requests/client.ts';
import { fetchArtifact } from '../src/requests/fetch-artifact.ts';
import { createSyncServer } from '../src/requests/server.ts';

const BYTES_MAX = 4 * ARTIFACT_PIECE_BYTES;
const artifact = Uint8Array.from({ length: 2 * ARTIFACT_PIECE_BYTES + 7 }, (_, i) => i % 251);
const hash = sha256(artifact);

type Serve = (from: number) => { readonly bytes: Uint8Array | undefined; readonly more: boolean } | undefined;

const honest =
  (whole: Uint8Array): Serve =>
  (from) => ({
    bytes: whole.subarray(from, from + ARTIFACT_PIECE_BYTES),
    more: from + ARTIFACT_PIECE_BYTES < whole.length,
  });
const nothing: Serve = () => ({ bytes: undefined, more: false });
/** Its request ends without an answer. */
const stalled: Serve = () => undefined;

function world(...peers: readonly Serve[]) {
  const asked: { readonly peer: PeerKey; readonly from: number }[] = [];
  const faults: { readonly peer: PeerKey; readonly detail: string }[] = [];
  const status = (_: Serve, index: number) =>
    ({ peer: peerOf(index), connected: true, role: index === 0 ? 'validator' : 'full-node' }) as PeerStatus;
  async function ask(peer: PeerKey, { query, from = 0 }: SyncAsk): Promise<SyncResponse | undefined> {
    expect(query).toBe('artifact');
    asked.push({ peer, from });
    const served = peers.find((_, index) => peerOf(index) === peer)?.(from);
    if (served === undefined) return undefined;
    const { bytes, more } = served;
    return { requestId: 0, blocks: [], certificates: [], chunks: bytes === undefined ? [] : [bytes], more };
  }
  const components = {
    transport: { peers: () => peers.map(status) },
    random: createRandom(1),
    ask,
    onFault: (peer: PeerKey, detail: string) => void faults.push({ peer, detail }),
  };
  const fetch = (signal = new AbortController().signal) =>
    fetchArtifact(components, { hash, bytesMax: BYTES_MAX }, signal);
  return { fetch, asked, faults };
}

describe('an artifact that is fetched by its hash', () => {
  test('comes in pieces of one peer, a validator first', async () => {
    const { fetch, asked, faults } = world(honest(artifact), honest(artifact));
    expect(await fetch()).toEqual(artifact);
    expect(asked).toEqual([0, 1, 2].map((piece) => ({ peer: peerOf(0), from: piece * ARTIFACT_PIECE_BYTES })));
    expect(faults).toEqual([]);
  });

  test('is asked of the next peer where one lacks it or does not answer, and neither is blamed', async () => {
    const { fetch, asked, faults } = world(stalled, nothing, honest(artifact), nothing);
    expect(await fetch()).toEqual(artifact);
    expect(asked[0]?.peer).toBe(peerOf(0));
    expect(faults).toEqual([]);
  });

  test.for<readonly [string, Serve]>([
    ['other bytes', honest(artifact.map((byte, i) => (i === 300_000 ? byte ^ 1 : byte)))],
    ['the bytes without their end', honest(artifact.subarray(0, -1))],
    ['an empty piece', () => ({ bytes: new Uint8Array(0), more: false })],
    ['small pieces without end', () => ({ bytes: new Uint8Array(1), more: true })],
    ['whole pieces without end', () => ({ bytes: new Uint8Array(ARTIFACT_PIECE_BYTES), more: true })],
    ['a piece that is too large', () => ({ bytes: new Uint8Array(ARTIFACT_PIECE_BYTES + 1), more: false })],
  ])('is taken from another peer where one sends %s, which is its fault', async ([, wrong]) => {
    const { fetch, asked, faults } = world(wrong, honest(artifact));
    expect(await fetch()).toEqual(artifact);
    expect(faults.map(({ peer }) => peer)).toEqual([peerOf(0)]);
    expect(asked.filter(({ peer }) => peer === peerOf(0)).length).toBeLessThanOrEqual(5);
  });

  test('is not asked for any more once it is not wanted, and of eight peers at most', async () => {
    const ended = new AbortController();
    ended.abort();
    const idle = world(honest(artifact));
    expect(await idle.fetch(ended.signal)).toBeUndefined();
    expect(idle.asked).toEqual([]);
    const many = world(...Array.from({ length: 40 }, () => nothing));
    expect(await many.fetch()).toBeUndefined();
    expect(many.asked).toHaveLength(8);
  });
});

describe('a server of artifacts', () => {
  const MEMBER = peerOf(1);

  function serverWith(has: (hash: Uint8Array) => boolean) {
    const sent: { readonly to: PeerKey; readonly response: SyncResponse }[] = [];
    const followers = Array.from({ length: 20 }, (_, index) => peerOf(10 + index));
    const server = createSyncServer(
      {} as never,
      {
        artifact: (of: Uint8Array, from: number) =>
          has(of) && from === 0 ? { bytes: new Uint8Array(1), more: false } : undefined,
      } as never,
      {
        transport: {
          peers: () => followers.map((peer) => ({ peer, connected: true, queuedBytes: 0 }) as PeerStatus),
          send(to: PeerKey, _lane: Lane, frame: Uint8Array) {
            const decoded = decodeFrame(frame);
            if (!decoded.ok || decoded.value.name !== 'syncResponse') throw new Error('a server sends responses');
            sent.push({ to, response: decoded.value.value });
            return true;
          },
        },
        clock: { monotonicMs: () => 0, after: () => () => {} },
        telemetry: silentTelemetry,
      },
      createCommittee([{ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: MEMBER }]),
    );
    let requestId = 0;
    async function request(from: PeerKey, id: Uint8Array): Promise<number> {
      const asked: SyncRequest = { requestId: ++requestId, query: 'artifact', id, from: 0, to: 0 };
      server.onRequest(from, asked);
      for (let turns = 0; turns < 4; turns++) await new Promise<void>((done) => setImmediate(done));
      return sent.at(-1)?.response.chunks.length ?? -1;
    }
    return { request, followers };
  }

  async function served(request: () => Promise<number>, times: number): Promise<number> {
    let pieces = 0;
    for (let n = 0; n < times; n++) pieces += await request();
    return pieces;
  }

  test('has a quota of pieces for each peer', async () => {
    const { request } = serverWith(() => true);
    expect(await served(() => request(MEMBER, hash), 70)).toBe(64);
  });

  test('has one quota for all followers together, beside which members are served', async () => {
    const { request, followers } = serverWith(() => true);
    let pieces = 0;
    for (const follower of followers) pieces += await served(() => request(follower, hash), 15);
    expect(pieces).toBe(256);
    expect(await request(MEMBER, hash)).toBe(1);
  });

  test('answers a flood of unknown hashes with nothing, which costs no quota', async () => {
    const { request, followers } = serverWith((of) => of === hash || of[0] === hash[0]);
    const unknown = hash.map((byte) => byte ^ 0xff);
    expect(await served(() => request(followers[0] as PeerKey, unknown), 300)).toBe(0);
    expect(await request(followers[0] as PeerKey, hash)).toBe(1);
  });
});
