/**
 * What this node serves to joining nodes: snapshots, and receipts of the blocks around them. Reading and compressing run on the thread that
 * executes blocks, so requests are served one at a time.
 */

import type { Ledger } from '@slipstream/ledger';
import type { Compression, Disk } from '@slipstream/ports';
import { listSnapshots, readSnapshot, type StateSnapshot } from '@slipstream/state';
import {
  type Block,
  type BlockId,
  CHUNK_BYTES_MAX,
  type DigestPreimage,
  type GenesisHash,
  type Hex,
  hexOf,
  idFromHex,
  type StateDigest,
  SYNC_BLOCKS_MAX,
  stateDigestOf,
  TRANSACTION_LIFE_MS_MAX,
} from '@slipstream/types';
import type { AnswerQueue } from '../requests/answer-queue.ts';
import type { SnapshotArchive } from '../requests/archive.ts';
import { coversFiles, MANIFEST_PREIMAGES_MAX, type Manifest, manifestCodec, PREIMAGES_BELOW_MAX } from './manifest.ts';
import { PIECE_BYTES, packPiece, packReceipts } from './wire.ts';

/** Of one answer of receipts. A block above them is served alone. */
const RECEIPTS_BYTES = 1024 * 1024;
const PARTS_MAX = 4;
/** A minute of blocks 30 ms apart, and more than the heights in which files end. */
const PREIMAGES_AT_FIRST = 2048;
const CHECK_MS = 1000;

interface Served {
  readonly snapshot: StateSnapshot;
  /** As first made; lower blocks may have been pruned since. */
  readonly made: Manifest;
  readonly own: DigestPreimage;
  readonly timestampMs: number;
  /** Undefined when no node could begin with it any more. Nodes that began earlier still get files. */
  readonly manifest: Uint8Array | undefined;
  readonly digest: Hex<StateDigest>;
}

interface ServeComponents {
  readonly disk: Disk;
  readonly directory: string;
  readonly ledger: Ledger;
  readonly monotonicMs: () => number;
  readonly answerQueue: AnswerQueue;
  readonly compression: Pick<Compression, 'compress'>;
  readonly genesisHash: GenesisHash;
}

export function createSnapshotArchive(components: ServeComponents): SnapshotArchive {
  const { disk, directory, ledger, monotonicMs, answerQueue, compression, genesisHash } = components;
  let served: readonly Served[] = [];
  let checkedMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  async function check(): Promise<void> {
    const found: Served[] = [];
    for (const snapshot of await listSnapshots(disk, directory)) {
      const known = served.find((each) => each.snapshot.batch === snapshot.batch);
      const made = known ?? (await serveable(snapshot));
      if (made) found.push({ ...made, manifest: await manifestNow(made) });
    }
    served = found;
    checkedMs = monotonicMs();
  }

  async function current(): Promise<readonly Served[]> {
    if (monotonicMs() - checkedMs >= CHECK_MS) {
      checking ??= check().finally(() => {
        checking = undefined;
      });
      await checking;
    }
    return served;
  }

  /** Undefined: no state certificate covers it, or too few digests are retained, for which joining nodes block. */
  async function serveable(snapshot: StateSnapshot): Promise<Omit<Served, 'manifest'> | undefined> {
    const found = await ledger.block({ id: idFromHex<BlockId>(snapshot.block) });
    const certificate = found && (await ledger.stateCertificateFrom(found.block.height));
    if (!found || !certificate) return undefined;
    const { height } = found.block;
    const lowest = await lowestOfMinute(ledger, found.block);
    const kept = await ledger.preimages(lowest, certificate.subject.height);
    const preimages = unbroken(kept);
    const own = preimages.find((preimage) => preimage.height === height);
    const made: Manifest = { snapshot, preimages, certificate };
    if (!own || !coversFiles(made, own) || preimages.length > MANIFEST_PREIMAGES_MAX) return undefined;
    const digest = hexOf(stateDigestOf(genesisHash, own));
    return { snapshot, made, own, timestampMs: found.block.timestampMs, digest };
  }

  /**
   * Only digests of retained blocks, which a joining node fetches. Undefined: too few; another node's snapshot, or the next one, serves.
   */
  async function manifestNow({ made, own, timestampMs }: Omit<Served, 'manifest'>): Promise<Uint8Array | undefined> {
    const earliest = (await ledger.tip())?.earliestHeight ?? 0;
    // On an unpruned chain, genesis is the block below the earliest one.
    if (earliest <= 1 || (made.preimages[0]?.height ?? 0) >= earliest) return manifestCodec.encode(made);
    const now = { ...made, preimages: made.preimages.filter(({ height }) => height >= earliest) };
    const lowest = await ledger.block({ height: earliest });
    const coversMinute = (lowest?.block.timestampMs ?? timestampMs) < timestampMs - TRANSACTION_LIFE_MS_MAX;
    return coversFiles(now, own) && coversMinute ? manifestCodec.encode(now) : undefined;
  }

  async function receipts(from: number, to: number): ReturnType<SnapshotArchive['receipts']> {
    const blocks: Block[] = [];
    const lists: (readonly Uint8Array[])[] = [];
    let bytes = 0;
    for (const { block, receipts: own, batches } of await ledger.blocksWithReceipts(
      from,
      Math.min(to - from + 1, SYNC_BLOCKS_MAX),
    )) {
      const list = [...own, ...batches];
      bytes += list.reduce((sum, receipt) => sum + receipt.length + 4, 4);
      if (bytes > RECEIPTS_BYTES && blocks.length > 0) break;
      blocks.push(block);
      lists.push(list);
    }
    const packed = packReceipts(lists);
    if (blocks.length === 0 || packed.length > PARTS_MAX * CHUNK_BYTES_MAX) return undefined;
    const parts: Uint8Array[] = [];
    for (let at = 0; at < packed.length; at += CHUNK_BYTES_MAX) parts.push(packed.subarray(at, at + CHUNK_BYTES_MAX));
    return { blocks, parts };
  }

  return {
    manifest: async () => (await current()).find(({ manifest }) => manifest !== undefined)?.manifest,
    piece: (stateDigest, file, offset) =>
      answerQueue(async (work) => {
        const found = (await current()).find(({ digest }) => digest === hexOf(stateDigest));
        const bytes = found && (await readSnapshot(disk, directory, found.snapshot, file, offset, PIECE_BYTES));
        return bytes && work(() => packPiece(bytes, compression));
      }),
    receipts: (from, to) => answerQueue(() => receipts(from, to)),
  };
}

/** At or below the begin of the minute before this block, limited by PREIMAGES_BELOW_MAX. The first probe usually suffices. */
export async function lowestOfMinute(
  ledger: Pick<Ledger, 'block'>,
  { height, timestampMs }: Pick<Block, 'height' | 'timestampMs'>,
): Promise<number> {
  for (let below = PREIMAGES_AT_FIRST; below < PREIMAGES_BELOW_MAX; below += PREIMAGES_AT_FIRST) {
    const at = height - below;
    if (at <= 0) return 0;
    const found = await ledger.block({ height: at });
    if (!found || found.block.timestampMs < timestampMs - TRANSACTION_LIFE_MS_MAX) return at;
  }
  return Math.max(0, height - PREIMAGES_BELOW_MAX);
}

/** Pruning leaves the digest of genesis. */
function unbroken(preimages: readonly DigestPreimage[]): readonly DigestPreimage[] {
  const begin = preimages.findLastIndex(({ height }, at) => height - 1 !== preimages[at - 1]?.height);
  return preimages.slice(Math.max(0, begin));
}
