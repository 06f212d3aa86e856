/**
 * Fetches blocks with receipts below a snapshot: the last minute's, for replay protection, and all in which a file of the snapshot may end,
 * whose digests later prove to other nodes that the files are certified (manifest.ts).
 *
 * Answers come one after the other, from the fastest peer so far, so that a slow peer delays little.
 */
import { areRecordsOf } from '@slipstream/distilled';
import type { Clock, PeerKey } from '@slipstream/ports';
import { bytesEqual, concatBytes } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  blockIdOf,
  type DigestPreimage,
  type GenesisHash,
  merkleRoot,
  SYNC_BLOCKS_MAX,
  type SyncResponse,
  TRANSACTION_LIFE_MS_MAX,
} from '@slipstream/types';
import { SyncError } from '../errors.ts';
import { type Manifest, ownPreimage } from './manifest.ts';
import type { Sources } from './sources.ts';
import { unpackReceipts } from './wire.ts';

export interface FetchedBlock {
  readonly blockId: BlockId;
  readonly block: Block;
  readonly receipts: readonly Uint8Array[];
  /** Records of distilled batches. */
  readonly batches: readonly Uint8Array[];
  readonly preimage: DigestPreimage;
}

const ROUNDS_MAX = 8;
/** Without a connected peer. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;

interface FetchBlocksComponents {
  readonly sources: Sources;
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly genesisHash: GenesisHash;
}

/** Ascending; the last is the snapshot's, the first may be genesis. Throws SyncError `state-incomplete`. */
export async function fetchRecentBlocks(
  { sources, clock, genesisHash }: FetchBlocksComponents,
  manifest: Manifest,
  history: number,
): Promise<readonly FetchedBlock[]> {
  const preimages = new Map(manifest.preimages.map((preimage) => [preimage.height as number, preimage]));
  const expected = { genesisHash, preimages };
  const tip = ownPreimage(manifest)?.height ?? 0;
  const lowest = manifest.preimages[0]?.height ?? 0;
  const oldestEnd = Math.max(0, tip - history);
  const asking = createAsking(sources, clock);
  const found: FetchedBlock[] = [];
  let size = SYNC_BLOCKS_MAX;
  for (let to = tip; to >= lowest; ) {
    const from = Math.max(lowest, to - size + 1);
    const span = await fetchSpan(asking, expected, from, to);
    if (span === undefined) {
      // The lowest blocks may have been pruned, and may not be needed.
      if (size === 1)
        throw new SyncError('state-incomplete', `state sync: no peer serves the block of height ${to}`, {});
      size = Math.ceil(size / 2);
      continue;
    }
    found.unshift(...span);
    to = from - 1;
    const sinceMs = (found.at(-1)?.block.timestampMs ?? 0) - TRANSACTION_LIFE_MS_MAX;
    const early = found.findIndex(({ block }) => block.timestampMs >= sinceMs);
    if (early > 0 && from <= oldestEnd) return found.slice(Math.min(early, oldestEnd - from));
  }
  if (lowest > 1)
    throw new SyncError('state-incomplete', 'state sync: the manifest does not cover a minute of blocks', {});
  return found;
}

interface Asking extends Pick<Sources, 'block'> {
  /** Waits for a connected peer, at most PATIENCE_MS. */
  available(): Promise<readonly PeerKey[]>;
  /** One not asked yet, else the fastest, else the one whose failure is oldest. `peers` is not empty. */
  next(peers: readonly PeerKey[]): PeerKey;
  /** Undefined: no answer, or an empty one. */
  receipts(peer: PeerKey, from: number, to: number): Promise<SyncResponse | undefined>;
}

const NOT_ASKED = { msPerBlock: -1, at: 0 };

function createAsking(sources: Sources, clock: FetchBlocksComponents['clock']): Asking {
  /** By each peer's last answer. */
  const speeds = new Map<PeerKey, { readonly msPerBlock: number; readonly at: number }>();
  let requested = 0;

  return {
    async available() {
      const sinceMs = clock.monotonicMs();
      while (sources.available().length === 0 && clock.monotonicMs() - sinceMs < PATIENCE_MS) {
        await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve));
      }
      return sources.available();
    },
    block: sources.block,
    next: (peers) =>
      peers.reduce((best, peer) => {
        const [a, b] = [speeds.get(best) ?? NOT_ASKED, speeds.get(peer) ?? NOT_ASKED];
        return b.msPerBlock < a.msPerBlock || (b.msPerBlock === a.msPerBlock && b.at < a.at) ? peer : best;
      }),
    async receipts(peer, from, to) {
      const beganMs = clock.monotonicMs();
      const answer = await sources.ask(peer, { query: 'receipts', from, to });
      const blocks = answer?.blocks.length ?? 0;
      requested += 1;
      speeds.set(peer, {
        msPerBlock: blocks === 0 ? Number.MAX_VALUE : (clock.monotonicMs() - beganMs) / blocks,
        at: requested,
      });
      return blocks === 0 ? undefined : answer;
    },
  };
}

interface Expected {
  readonly genesisHash: GenesisHash;
  readonly preimages: ReadonlyMap<number, DigestPreimage>;
}

/** Undefined: no connected peer serves the whole span. Throws SyncError `state-incomplete` when none connects in time. */
async function fetchSpan(
  asking: Asking,
  expected: Expected,
  from: number,
  to: number,
): Promise<readonly FetchedBlock[] | undefined> {
  const span: FetchedBlock[] = [];
  let failures = 0;
  while (from + span.length <= to) {
    const peers = await asking.available();
    if (peers.length === 0) {
      const height = from + span.length;
      throw new SyncError(
        'state-incomplete',
        `state sync: no peer is connected that could serve the block of height ${height}`,
        {},
      );
    }
    if (failures >= ROUNDS_MAX * peers.length) return undefined;
    const peer = asking.next(peers);
    const answer = await asking.receipts(peer, from + span.length, to);
    if (answer === undefined) {
      failures += 1;
      continue;
    }
    const lists = unpackReceipts(concatBytes(...answer.chunks), answer.blocks.length);
    const taken = lists && check(answer.blocks, lists, expected, from + span.length, to);
    if (taken) span.push(...taken);
    else asking.block(peer, `served blocks or receipts that are not those of height ${from + span.length}`);
  }
  return span;
}

function check(
  blocks: readonly Block[],
  lists: readonly (readonly Uint8Array[])[],
  { genesisHash, preimages }: Expected,
  from: number,
  to: number,
): readonly FetchedBlock[] | undefined {
  const taken: FetchedBlock[] = [];
  for (const [at, block] of blocks.entries()) {
    const preimage = preimages.get(from + at);
    const list = lists[at] ?? [];
    const receipts = list.slice(0, preimage?.transactionCount);
    const batches = list.slice(receipts.length);
    const blockId = blockIdOf(block);
    const sound =
      from + at <= to &&
      preimage !== undefined &&
      bytesEqual(blockId, preimage.blockId) &&
      receipts.length === preimage.transactionCount &&
      bytesEqual(merkleRoot(receipts), preimage.receiptsRoot) &&
      (preimage.distilled === undefined
        ? batches.length === 0
        : areRecordsOf(batches, genesisHash, preimage.distilled));
    if (!sound) return undefined;
    taken.push({ blockId, block, receipts, batches, preimage });
  }
  return taken;
}
