/**
 * The blocks below a snapshot that a node which joins by it begins with, with receipts.
 *
 * Those of the last minute: replay protection is restored from them. And all that a file of the snapshot may end in: with their
 * digests this node can show later that the files it serves are certified (manifest.ts).
 */
import { bytesEqual, concatBytes } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  blockIdOf,
  type DigestPreimage,
  merkleRoot,
  SYNC_BLOCKS_MAX,
  TRANSACTION_LIFE_MS_MAX,
} from '@slipstream/types';
import { NodeError } from '../errors.ts';
import { type Manifest, ownPreimage } from './manifest.ts';
import type { Sources } from './sources.ts';
import { unpackReceipts } from './wire.ts';

export interface FetchedBlock {
  readonly blockId: BlockId;
  readonly block: Block;
  readonly receipts: readonly Uint8Array[];
  readonly preimage: DigestPreimage;
}

const ROUNDS_MAX = 8;

/** Ascending, the last one is the snapshot's, the first may be genesis. Throws NodeError `sync-failed`. */
export async function fetchRecentBlocks(
  sources: Sources,
  manifest: Manifest,
  history: number,
): Promise<readonly FetchedBlock[]> {
  const preimages = new Map(manifest.preimages.map((preimage) => [preimage.height as number, preimage]));
  const tip = ownPreimage(manifest)?.height ?? 0;
  const lowest = manifest.preimages[0]?.height ?? 0;
  const oldestEnd = Math.max(0, tip - history);
  const found: FetchedBlock[] = [];
  for (let to = tip; to >= lowest; to -= SYNC_BLOCKS_MAX) {
    const from = Math.max(lowest, to - SYNC_BLOCKS_MAX + 1);
    found.unshift(...(await fetchSpan(sources, preimages, from, to)));
    const sinceMs = (found.at(-1)?.block.timestampMs ?? 0) - TRANSACTION_LIFE_MS_MAX;
    const early = found.findIndex(({ block }) => block.timestampMs >= sinceMs);
    if (early > 0 && from <= oldestEnd) return found.slice(Math.min(early, oldestEnd - from));
  }
  if (lowest > 1) throw new NodeError('sync-failed', 'state sync: the manifest does not cover a minute of blocks', {});
  return found;
}

async function fetchSpan(
  sources: Sources,
  preimages: ReadonlyMap<number, DigestPreimage>,
  from: number,
  to: number,
): Promise<readonly FetchedBlock[]> {
  const span: FetchedBlock[] = [];
  let failures = 0;
  while (from + span.length <= to) {
    const peers = sources.available();
    const peer = peers[failures % Math.max(1, peers.length)];
    if (peer === undefined || failures >= ROUNDS_MAX * peers.length) {
      throw new NodeError('sync-failed', `state sync: no peer serves the blocks from height ${from + span.length}`, {});
    }
    const answer = await sources.ask(peer, { query: 'receipts', from: from + span.length, to });
    if (answer === undefined || answer.blocks.length === 0) {
      failures += 1;
      continue;
    }
    const lists = unpackReceipts(concatBytes(...answer.chunks), answer.blocks.length);
    const taken = lists && check(answer.blocks, lists, preimages, from + span.length, to);
    if (taken) span.push(...taken);
    else sources.block(peer, `served blocks or receipts that are not those of height ${from + span.length}`);
  }
  return span;
}

/** Undefined when something is not what the digests say. */
function check(
  blocks: readonly Block[],
  lists: readonly (readonly Uint8Array[])[],
  preimages: ReadonlyMap<number, DigestPreimage>,
  from: number,
  to: number,
): readonly FetchedBlock[] | undefined {
  const taken: FetchedBlock[] = [];
  for (const [at, block] of blocks.entries()) {
    const preimage = preimages.get(from + at);
    const receipts = lists[at] ?? [];
    const blockId = blockIdOf(block);
    const sound =
      from + at <= to &&
      preimage !== undefined &&
      bytesEqual(blockId, preimage.blockId) &&
      receipts.length === preimage.transactionCount &&
      bytesEqual(merkleRoot(receipts), preimage.receiptsRoot);
    if (!sound) return undefined;
    taken.push({ blockId, block, receipts, preimage });
  }
  return taken;
}
