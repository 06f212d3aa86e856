/** From peers that are honest, unresponsive, or lie. */
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock, createRandom } from '@slipstream/platform';
import { type Clock, type Disk, type PeerKey, silentTelemetry } from '@slipstream/ports';
import { createLifetime } from '@slipstream/simulator';
import { listSnapshots, readSnapshot, type StateSnapshot } from '@slipstream/state';
import { asId, type BlockId, height, hexOf, NO_RECORD, type StateCertificate } from '@slipstream/types';
import { describe, expect, test } from 'vitest';
import { STAGED, syncFolder } from '../../../../apps/node/src/storage/sync-folder.ts';
import { commitBatch, newDisk, open, put, TINY } from '../../../state/test/builders.ts';
import { fetchFiles } from '../../src/state-sync/fetch-files.ts';
import { createKnownEpochs } from '../../src/state-sync/known-epochs.ts';
import { clearStaged, freeBytes } from '../../src/state-sync/room.ts';
import type { Sources } from '../../src/state-sync/sources.ts';
import { takeOver } from '../../src/state-sync/take-over.ts';
import { PIECE_BYTES, packPiece } from '../../src/state-sync/wire.ts';
import { GENESIS_HASH, HONEST, LIAR, OTHER, SILENT, STATE_DIGEST, served } from './served-snapshot.ts';
import { RECORD, VERIFIER } from './snapshot-chain.ts';
import { zstd } from './zstd.ts';

const { paths: PATHS } = syncFolder('.');
/** Replaces the right piece. */
type Serve = (piece: Uint8Array, file: number) => Uint8Array | undefined;

async function fetchFrom(peers: ReadonlyMap<PeerKey, Serve>, target = newDisk()) {
  const { snapshot, disk: source } = await served();
  const blocked = new Set<PeerKey>();
  const failures = new Map<PeerKey, number>();
  const bytes = { peer: 0, disk: 0 };
  const sources: Sources = {
    available: () => [...peers.keys()].filter((peer) => !blocked.has(peer) && (failures.get(peer) ?? 0) < 3),
    async ask(peer, { from = 0, to = 0 }) {
      const piece = await readSnapshot(source, 'snapshots', snapshot, from, to, PIECE_BYTES);
      const given = piece && peers.get(peer)?.(piece, from);
      return { requestId: 1, blocks: [], certificates: [], chunks: given ? [packPiece(given, zstd)] : [], more: false };
    },
    failed: (peer) => failures.set(peer, (failures.get(peer) ?? 0) + 1),
    succeeded: () => {},
    block: (peer) => blocked.add(peer),
    stop: async () => {},
  };
  const disk = target.mount(createLifetime());
  await disk.makeDirectory('staged');
  await fetchFiles(
    { disk, clock: createClock(), sources, compression: zstd, onBytes: (count, from) => (bytes[from] += count) },
    { directory: 'staged', snapshot, stateDigest: STATE_DIGEST, genesisHash: GENESIS_HASH, history: TINY.history },
  );
  const sizes = await Promise.all(
    snapshot.files.map(({ file }) => disk.size(`staged/${String(file).padStart(16, '0')}.log`)),
  );
  return { snapshot, blocked, bytes, target, sizes };
}

const honest: Serve = (piece) => piece;
const flips: Serve = (piece) => piece.map((byte, at) => (at === piece.length >> 1 ? byte ^ 1 : byte));

describe('fetching the files of a snapshot', () => {
  test('fetches every file completely, each larger than a piece', async () => {
    const { snapshot, sizes, bytes } = await fetchFrom(new Map([[HONEST, honest]]));
    expect(sizes).toEqual(snapshot.files.map(({ bytes: size }) => size));
    expect(Math.max(...sizes.map((size) => size ?? 0))).toBeGreaterThan(PIECE_BYTES);
    expect(bytes.peer).toBe(sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0));
  });

  test('blocks a peer that serves a wrong bit or a short piece, and fetches only that piece again', async () => {
    for (const lie of [flips, (piece: Uint8Array) => piece.subarray(1)]) {
      const { blocked, snapshot, sizes } = await fetchFrom(
        new Map([
          [LIAR, lie],
          [HONEST, honest],
          [OTHER, honest],
        ]),
      );
      expect([...blocked]).toEqual([LIAR]);
      expect(sizes).toEqual(snapshot.files.map(({ bytes }) => bytes));
    }
  });

  test('neither queries again nor blocks a peer without files', async () => {
    const { blocked } = await fetchFrom(
      new Map([
        [SILENT, () => undefined],
        [HONEST, honest],
      ]),
    );
    expect(blocked.size).toBe(0);
  });

  test('retains the files of an earlier attempt, unless they are damaged', async () => {
    const { target, snapshot } = await fetchFrom(new Map([[HONEST, honest]]));
    const again = await fetchFrom(new Map([[HONEST, honest]]), target);
    expect(again.bytes.peer).toBe(0);
    const [first] = snapshot.files;
    const path = `staged/${String(first?.file).padStart(16, '0')}.log`;
    const file = await target.mount(createLifetime()).open(path);
    await file.write(200, [new Uint8Array([99])]);
    const third = await fetchFrom(new Map([[HONEST, honest]]), target);
    expect(third.bytes.peer).toBe(first?.bytes);
  });
});

describe('the next snapshot', () => {
  /** A round of the store's logs apart: each log was appended to, none restarted. */
  async function twoSnapshots() {
    const { history } = TINY;
    const simulated = newDisk();
    const { store } = await open(simulated, {
      parameters: { ...TINY, deadBytesMax: 1_000_000_000, moveBytesMax: 1_000_000 },
      snapshots: { directory: 'snapshots', every: history + 1, keep: 2 },
    });
    for (let i = 1; i <= 2 * (history + 1); i++) {
      const large = i <= history + 1 ? 40 : 1;
      const values = Array.from({ length: large }, (_, key) => put(`key ${i} ${key}`, String(i % 10).repeat(10_000)));
      await commitBatch(store, i.toString(16).padStart(2, '0'), values);
    }
    const disk = simulated.mount(createLifetime());
    const [newer, older] = await listSnapshots(disk, 'snapshots');
    if (newer === undefined || older === undefined) throw new Error('no two snapshots');
    return { disk, newer, older };
  }

  async function fetchOnto(target: Disk, source: Disk, snapshot: StateSnapshot) {
    const blocked: PeerKey[] = [];
    let fetched = 0;
    const sources: Sources = {
      available: () => [HONEST],
      async ask(_peer, { from = 0, to = 0 }) {
        const piece = await readSnapshot(source, 'snapshots', snapshot, from, to, PIECE_BYTES);
        fetched += piece?.length ?? 0;
        return {
          requestId: 1,
          blocks: [],
          certificates: [],
          chunks: piece ? [packPiece(piece, zstd)] : [],
          more: false,
        };
      },
      failed: () => {},
      succeeded: () => {},
      block: (peer) => blocked.push(peer),
      stop: async () => {},
    };
    await clearStaged({ disk: target, paths: PATHS }, snapshot);
    const setting = { directory: STAGED.state, snapshot, stateDigest: STATE_DIGEST, genesisHash: GENESIS_HASH };
    const components = { disk: target, clock: createClock(), sources, compression: zstd, onBytes: () => {} };
    await fetchFiles(components, { ...setting, history: TINY.history });
    return { fetched, blocked };
  }

  test('continues from the files of the one before: only appended bytes are fetched', async () => {
    const { disk, newer, older } = await twoSnapshots();
    const target = newDisk().mount(createLifetime());
    await target.makeDirectory(STAGED.state);
    const bytesOf = ({ files }: StateSnapshot) => files.reduce((sum, { bytes }) => sum + bytes, 0);
    expect((await fetchOnto(target, disk, older)).fetched).toBe(bytesOf(older));
    expect(newer.files.map(({ file }) => file)).toEqual(older.files.map(({ file }) => file));
    const { fetched, blocked } = await fetchOnto(target, disk, newer);
    expect([fetched, blocked]).toEqual([bytesOf(newer) - bytesOf(older), []]);
  });

  test('is fetched completely where retained files are damaged, and no peer is blocked for that', async () => {
    const { disk, newer, older } = await twoSnapshots();
    const target = newDisk().mount(createLifetime());
    await target.makeDirectory(STAGED.state);
    await fetchOnto(target, disk, older);
    const [name = ''] = await target.list(STAGED.state);
    const file = await target.open(`${STAGED.state}/${name}`);
    await file.write(200, [new Uint8Array([99])]);
    expect((await fetchOnto(target, disk, newer)).blocked).toEqual([]);
    const sizes = await Promise.all(
      (await target.list(STAGED.state)).map((each) => target.size(`${STAGED.state}/${each}`)),
    );
    expect(sizes).toEqual(newer.files.map(({ bytes }) => bytes));
    expect((await fetchOnto(target, disk, newer)).fetched).toBe(0);
  });
});

const SOON_MS = 20;
const later = () => new Promise<void>((resolve) => setTimeout(resolve, SOON_MS));

/** Never answers; records the pieces requested. */
function silentSources() {
  const pieces: number[] = [];
  const sources: Sources = {
    available: () => [HONEST],
    async ask(_peer, { query, from = 0 }) {
      if (query !== 'snapshotPiece') return later().then(() => undefined);
      pieces.push(from);
      return new Promise(() => {});
    },
    failed: () => {},
    succeeded: () => {},
    block: () => {},
    stop: async () => {},
  };
  return { sources, pieces };
}

describe('disk space for a snapshot', () => {
  test('is half of the free space, staged bytes included', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipstream-room-'));
    const room = syncFolder(folder);
    const { bavail, bsize } = await statfs(folder);
    expect(await freeBytes(room)).toBeLessThan(0.6 * bavail * bsize);
    await room.disk.makeDirectory(STAGED.state);
    const staged: Disk = { ...room.disk, size: async () => 2 ** 50 };
    await writeFile(join(folder, STAGED.state, 'a'), 'x');
    expect(await freeBytes({ ...room, disk: staged })).toBeGreaterThan(2 ** 49);
    await rm(folder, { recursive: true });
  });

  test('is freed of the files of earlier attempts, except files of this snapshot and their prefixes', async () => {
    const { snapshot } = await served();
    const disk = newDisk().mount(createLifetime());
    await disk.makeDirectory(STAGED.state);
    const [whole, half, longer, ...others] = snapshot.files;
    const left = async (name: string, bytes: number) => {
      const file = await disk.open(`${STAGED.state}/${name}`, { create: true });
      await file.write(0, [new Uint8Array(bytes)]);
    };
    const nameOf = (file: number) => `${String(file).padStart(16, '0')}.log`;
    await left(nameOf(whole?.file ?? 0), whole?.bytes ?? 0);
    await left(nameOf(half?.file ?? 0), (half?.bytes ?? 0) - 1);
    await left(nameOf(longer?.file ?? 0), (longer?.bytes ?? 0) + 1);
    await left(`${nameOf(others[0]?.file ?? 0)}.part`, 1_000);
    await left(nameOf(4_000_000), 1_000);
    await clearStaged({ disk, paths: PATHS }, snapshot);
    expect(await disk.list(STAGED.state)).toEqual([whole, half].map((kept) => nameOf(kept?.file ?? 0)).sort());
  });
});

describe('a failed attempt', () => {
  test('leaves no pending write into the files of the next one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipstream-join-'));
    const blockId = asId<BlockId>(new Uint8Array(32).fill(5));
    const snapshot = { ...(await served()).snapshot, block: hexOf(blockId) };
    const { sources, pieces } = silentSources();
    const preimage = {
      height: height(5),
      blockId,
      parentDigest: STATE_DIGEST,
      batchChecksum: snapshot.checksum,
      stateRoot: new Uint8Array(32),
      receiptsRoot: new Uint8Array(32),
      transactionCount: 0,
      next: NO_RECORD,
    };
    const world = { clock: createClock(), random: createRandom(), telemetry: silentTelemetry };
    const manifest = { snapshot, preimages: [preimage], certificate: undefined as unknown as StateCertificate };
    const components = { ...world, folder: syncFolder(folder), compression: zstd, verifier: VERIFIER };
    const setting = { genesisHash: GENESIS_HASH, parameters: TINY };
    const epochs = createKnownEpochs({ sources, verifier: VERIFIER }, { genesisHash: GENESIS_HASH, record: RECORD });
    expect(await takeOver(components, setting, sources, { manifest, epochs })).toBe('failed');
    expect(pieces).toEqual([]);
    await rm(folder, { recursive: true });
  });

  test('ends when the requested pieces have arrived, also when the disk refused one', async () => {
    const { snapshot } = await served();
    const disk = newDisk().mount(createLifetime());
    await disk.makeDirectory('staged');
    const broken: Disk = {
      ...disk,
      open: async (path, options) => {
        if (path.includes(String(snapshot.files[0]?.file).padStart(16, '0'))) throw new Error('no space');
        return disk.open(path, options);
      },
    };
    let underWay = 0;
    const sources: Sources = {
      ...silentSources().sources,
      async ask() {
        underWay++;
        await later();
        underWay--;
        return undefined;
      },
    };
    const setting = { directory: 'staged', snapshot, stateDigest: STATE_DIGEST };
    const fetching = fetchFiles(
      { disk: broken, clock: createClock(), sources, compression: zstd, onBytes: () => {} },
      { ...setting, genesisHash: GENESIS_HASH, history: TINY.history },
    );
    await expect(fetching).rejects.toThrow('no space');
    expect(underWay).toBe(0);
  });

  test('ends soon when every peer answers that it has no such snapshot, however often they answer', async () => {
    const { snapshot } = await served();
    const target = newDisk().mount(createLifetime());
    await target.makeDirectory('staged');
    let nowMs = 0;
    const clock: Pick<Clock, 'monotonicMs' | 'after'> = {
      monotonicMs: () => nowMs,
      after(_ms, action) {
        setImmediate(action);
        return () => {};
      },
    };
    const sources: Sources = {
      ...silentSources().sources,
      available: () => [HONEST, SILENT],
      async ask() {
        nowMs += 100;
        return { requestId: 1, blocks: [], certificates: [], chunks: [], more: false };
      },
    };
    const fetching = fetchFiles(
      { disk: target, clock: clock as Clock, sources, compression: zstd, onBytes: () => {} },
      {
        directory: 'staged',
        snapshot,
        stateDigest: STATE_DIGEST,
        genesisHash: GENESIS_HASH,
        history: TINY.history,
      },
    );
    await expect(fetching).rejects.toMatchObject({ code: 'state-incomplete' });
    expect(nowMs).toBeLessThan(10_000);
  });

  test('continues with responsive peers while one delays its pieces', async () => {
    const { snapshot, disk: source } = await served();
    const target = newDisk().mount(createLifetime());
    await target.makeDirectory('staged');
    const held = Promise.withResolvers<undefined>();
    const given = snapshot.files.slice(1).length;
    let whole = 0;
    let isAway = false;
    let asked = 0;
    const sources: Sources = {
      ...silentSources().sources,
      available: () => [...(asked === 0 ? [SILENT] : []), ...(isAway || asked === 0 ? [] : [HONEST])],
      async ask(peer, { from = 0, to = 0 }) {
        asked += 1;
        if (peer === SILENT && from === snapshot.files[0]?.file) return held.promise;
        if (peer === SILENT) return undefined;
        const piece = await readSnapshot(source, 'snapshots', snapshot, from, to, PIECE_BYTES);
        return {
          requestId: 1,
          blocks: [],
          certificates: [],
          chunks: piece ? [packPiece(piece, zstd)] : [],
          more: false,
        };
      },
      failed() {
        isAway = true;
        setTimeout(() => {
          isAway = false;
        }, 50);
      },
      succeeded() {
        whole += 1;
        if (whole === given) held.resolve(undefined);
      },
    };
    const setting = { directory: 'staged', snapshot, stateDigest: STATE_DIGEST };
    await fetchFiles(
      { disk: target, clock: createClock(), sources, compression: zstd, onBytes: () => {} },
      { ...setting, genesisHash: GENESIS_HASH, history: TINY.history },
    );
    expect(whole).toBe(snapshot.files.length);
  });
});
