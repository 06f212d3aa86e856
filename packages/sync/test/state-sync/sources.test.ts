import { createClock, createRandom } from '@slipstream/platform';
import { type PeerKey, type PeerStatus, silentTelemetry, type Transport } from '@slipstream/ports';
import { createLifetime } from '@slipstream/simulator';
import { listSnapshots, readSnapshot } from '@slipstream/state';
import {
  asId,
  type CommitteeMember,
  createCommittee,
  decodeFrame,
  encodeFrame,
  type GenesisHash,
  type StateDigest,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import { commitBatch, newDisk, open, put, TINY } from '../../../state/test/builders.ts';
import { fetchFiles } from '../../src/state-sync/fetch-files.ts';
import { openSources } from '../../src/state-sync/sources.ts';
import { PIECE_BYTES, packPiece } from '../../src/state-sync/wire.ts';
import { zstd } from './zstd.ts';

const PEER = 'a'.repeat(64) as PeerKey;
const GENESIS_HASH = asId<GenesisHash>(new Uint8Array(32).fill(7));

const GONE_MS = 300;

/** Twelve files and one validator, whose connection is lost for a moment at the request with number `goneFrom`. */
async function world(goneFrom: number) {
  const simulated = newDisk();
  const parameters = { ...TINY, history: 11, deadBytesMax: 1_000_000, moveBytesMax: 1_000_000 };
  const { store } = await open(simulated, { parameters, snapshots: { directory: 'snapshots', every: 12, keep: 1 } });
  for (let i = 1; i <= 12; i++) await commitBatch(store, `0${i}`, [put(`key ${i}`, String(i).repeat(100))]);
  const disk = simulated.mount(createLifetime());
  const snapshot = (await listSnapshots(disk, 'snapshots'))[0];
  if (snapshot === undefined) throw new Error('no snapshot');
  let isThere = true;
  let onFrame: Parameters<Transport['onFrame']>[0] = () => {};
  let asked = 0;

  async function answer(frame: Uint8Array): Promise<void> {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'syncRequest') return;
    const { requestId, from, to } = decoded.value.value;
    asked += 1;
    if (asked === goneFrom) {
      isThere = false;
      setTimeout(() => {
        isThere = true;
      }, GONE_MS);
    }
    const piece = await readSnapshot(disk, 'snapshots', snapshot as never, from, to, PIECE_BYTES);
    if (!isThere) return; // lost with the connection
    const chunks = piece ? [packPiece(piece, zstd)] : [];
    onFrame(
      PEER,
      'sync',
      encodeFrame('syncResponse', { requestId, blocks: [], certificates: [], chunks, more: false }),
    );
  }

  const transport = {
    peers: () => [{ peer: PEER, connected: isThere, blocked: false }] as unknown as readonly PeerStatus[],
    send(_to: PeerKey, _lane: string, frame: Uint8Array) {
      if (isThere) void answer(frame);
      return isThere;
    },
    onFrame: (handler: typeof onFrame) => {
      onFrame = handler;
    },
    onPeer: () => {},
    start: async () => {},
    stop: async () => {},
    block: () => {},
  } as unknown as Transport;
  return { transport, snapshot };
}

test('a peer whose connection was lost for a moment is queried again: its open queries are one failure', async () => {
  const { transport, snapshot } = await world(5);
  const committee = createCommittee([{ weight: 1, peerKey: PEER } as unknown as CommitteeMember]);
  const clock = createClock();
  const sources = await openSources(transport, committee, {
    clock,
    random: createRandom(),
    telemetry: silentTelemetry,
  });
  const disk = newDisk().mount(createLifetime());
  await disk.makeDirectory('staged');
  const setting = { directory: 'staged', snapshot, stateDigest: asId<StateDigest>(new Uint8Array(32)) };
  await fetchFiles(
    { disk, clock, sources, compression: zstd, onBytes: () => {} },
    { ...setting, genesisHash: GENESIS_HASH, history: 11 },
  );
  expect((await disk.list('staged')).length).toBe(12);
  await sources.stop();
}, 30_000);

test('a peer that fails repeatedly is backed off longer each time, until it serves a valid piece', async () => {
  const { transport } = await world(0);
  const committee = createCommittee([{ weight: 1, peerKey: PEER } as unknown as CommitteeMember]);
  let nowMs = 0;
  const clock = { ...createClock(), monotonicMs: () => nowMs };
  const sources = await openSources(transport, committee, {
    clock,
    random: createRandom(),
    telemetry: silentTelemetry,
  });
  const pauseMs = () => {
    const fromMs = nowMs;
    for (let i = 0; i < 8; i++) sources.failed(PEER);
    while (sources.available().length === 0) nowMs += 100;
    return nowMs - fromMs;
  };
  expect(Array.from({ length: 9 }, pauseMs)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  sources.succeeded(PEER);
  expect(pauseMs()).toBe(500);
  await sources.stop();
});
