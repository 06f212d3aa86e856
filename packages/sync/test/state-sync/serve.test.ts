/** Serving runs on the thread that executes blocks: one piece at a time. */

import type { Ledger } from '@slipstream/ledger';
import { createClock } from '@slipstream/platform';
import type { Disk } from '@slipstream/ports';
import { concatBytes } from '@slipstream/primitives';
import { stateSnapshotCodec } from '@slipstream/state';
import {
  asId,
  type Block,
  CHUNK_MESSAGE_BYTES_MAX,
  type DigestPreimage,
  digestPreimageType,
  height,
  type StateDigest,
  stateDigestOf,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import { createAnswerQueue } from '../../src/requests/answer-queue.ts';
import { MANIFEST_PREIMAGES_MAX, manifestCodec, PREIMAGES_BELOW_MAX } from '../../src/state-sync/manifest.ts';
import { createSnapshotArchive, lowestOfMinute } from '../../src/state-sync/serve.ts';
import { unpackReceipts } from '../../src/state-sync/wire.ts';
import { GENESIS_HASH, SNAPSHOTS, snapshotChain } from './snapshot-chain.ts';
import { zstd } from './zstd.ts';

test('pieces are read and compressed one at a time, with pauses between them', async () => {
  const { disk, snapshot, blocks, preimages, certificate } = await snapshotChain(10);
  let reading = 0;
  let most = 0;
  const watched: Disk = {
    ...disk,
    async open(path, options) {
      const file = await disk.open(path, options);
      return {
        ...file,
        async read(position, length) {
          most = Math.max(most, ++reading);
          await new Promise((resolve) => setTimeout(resolve, 1));
          reading -= 1;
          return file.read(position, length);
        },
      };
    },
  };
  const ledger = {
    tip: async () => ({ earliestHeight: 1 }),
    block: async () => ({ blockId: preimages.at(-1)?.blockId, block: blocks.at(-1) }),
    stateCertificateFrom: async () => certificate,
    preimages: async () => preimages,
  } as unknown as Ledger;
  const clock = createClock();
  const answerQueue = createAnswerQueue(clock, 2);
  const monotonicMs = () => clock.monotonicMs();
  const setting = { disk: watched, directory: SNAPSHOTS, ledger, genesisHash: GENESIS_HASH };
  const compression = {
    compress(bytes: Uint8Array) {
      for (const untilMs = clock.monotonicMs() + 5; clock.monotonicMs() < untilMs; );
      return zstd.compress(bytes);
    },
  };
  const archive = createSnapshotArchive({ ...setting, compression, monotonicMs, answerQueue });
  const digest = asId<StateDigest>(stateDigestOf(GENESIS_HASH, preimages.at(-1) as DigestPreimage));
  const file = snapshot.files[0]?.file ?? 0;
  const beganMs = clock.monotonicMs();
  const pieces = await Promise.all(Array.from({ length: 16 }, () => archive.piece(digest, file, 0)));
  expect(pieces.every((piece) => piece !== undefined && piece.length > 0)).toBe(true);
  expect(most).toBe(1);
  expect(clock.monotonicMs() - beganMs).toBeGreaterThan(15 * 3 * 5 * 0.9);
});

test('a snapshot whose blocks were pruned is offered with the retained ones, unless a joiner needs more', async () => {
  const { disk, snapshot, blocks, preimages, certificate } = await snapshotChain(10);
  let earliest = 1;
  const isKept = (at: number) => at === 0 || at >= earliest;
  const ledger = {
    tip: async () => ({ earliestHeight: earliest }),
    async block(at: { readonly height: number } | { readonly id: Uint8Array }) {
      const found = 'height' in at ? at.height : 10;
      return isKept(found) ? { blockId: preimages[found]?.blockId, block: blocks[found] } : undefined;
    },
    stateCertificateFrom: async () => certificate,
    preimages: async (from: number) => preimages.filter(({ height }) => height >= from && isKept(height)),
  } as unknown as Ledger;
  let nowMs = 0;
  const answerQueue = createAnswerQueue(createClock(), 2);
  const setting = { disk, directory: SNAPSHOTS, ledger, genesisHash: GENESIS_HASH };
  const archive = createSnapshotArchive({ ...setting, compression: zstd, monotonicMs: () => nowMs, answerQueue });
  async function lowestOffered(kept: number) {
    earliest = kept;
    nowMs += 10_000;
    const manifest = await archive.manifest();
    const decoded = manifest && manifestCodec.decode(manifest);
    return decoded?.ok ? decoded.value.preimages[0]?.height : undefined;
  }
  expect(await lowestOffered(1)).toBe(0);
  expect(await lowestOffered(5)).toBe(5);
  // The files end in heights 7 to 10.
  expect(await lowestOffered(7)).toBe(7);
  expect(await lowestOffered(8)).toBeUndefined();
  // A node that began before continues.
  const digest = asId<StateDigest>(stateDigestOf(GENESIS_HASH, preimages.at(-1) as DigestPreimage));
  expect(await archive.piece(digest, snapshot.files[0]?.file ?? 0, 0)).toBeDefined();
});

test('records of batches are served behind the receipts of their block, and count towards the size of an answer', async () => {
  const { disk, blocks } = await snapshotChain(3);
  const bytesOf = (fill: number, length = 8) => new Uint8Array(length).fill(fill);
  const lists = [
    { receipts: [bytesOf(1), bytesOf(2)], batches: [bytesOf(3)] },
    { receipts: [], batches: [bytesOf(4), bytesOf(5, 1024 * 1024)] },
    { receipts: [bytesOf(6)], batches: [] },
  ];
  const ledger = {
    blocksWithReceipts: async (from: number, limit: number) =>
      lists.map((list, at) => ({ block: blocks[at + 1], ...list })).slice(from - 1, from - 1 + limit),
  } as unknown as Ledger;
  const answerQueue = createAnswerQueue(createClock(), 2);
  const setting = { disk, directory: SNAPSHOTS, ledger, genesisHash: GENESIS_HASH };
  const archive = createSnapshotArchive({ ...setting, compression: zstd, monotonicMs: () => 0, answerQueue });
  async function served(from: number) {
    const found = await archive.receipts(from, 3);
    const heights = found?.blocks.map((block) => block.height as number);
    return { heights, lists: found && unpackReceipts(concatBytes(...found.parts), found.blocks.length) };
  }
  expect(await served(1)).toEqual({ heights: [1], lists: [[bytesOf(1), bytesOf(2), bytesOf(3)]] });
  expect(await served(2)).toEqual({ heights: [2], lists: [[bytesOf(4), bytesOf(5, 1024 * 1024)]] });
  expect(await served(3)).toEqual({ heights: [3], lists: [[bytesOf(6)]] });
});

test.each([
  ['a second', 1_000, 5_000, 5_000 - 2048],
  ['25 ms, as in the preset wan, where 2,048 blocks are less than a minute,', 25, 5_000, 5_000 - 4096],
  ['5 ms', 5, 50_000, 50_000 - PREIMAGES_BELOW_MAX],
  ['25 ms, on a young chain', 25, 2_000, 0],
])('a manifest of a chain with a block every %s reaches below the last minute', async (_, everyMs, tip, lowest) => {
  const blockAt = (at: number) => ({ height: height(at), timestampMs: at * everyMs }) as Block;
  const ledger = {
    block: async (at: { readonly height: number }) => ({ block: blockAt(at.height) }),
  } as unknown as Ledger;
  const found = await lowestOfMinute(ledger, blockAt(tip));
  expect(found).toBe(lowest);
  expect(found === 0 || (tip - found) * everyMs > 60_000).toBe(true);
});

test('the longest manifest fits one response', () => {
  const preimages = MANIFEST_PREIMAGES_MAX * digestPreimageType.maxSize;
  const certificateBytesMax = 1024;
  expect(preimages + stateSnapshotCodec.bytesMax + certificateBytesMax).toBeLessThan(CHUNK_MESSAGE_BYTES_MAX);
});
