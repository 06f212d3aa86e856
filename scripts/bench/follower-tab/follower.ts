/**
 * A follower: executes final blocks on a state of its own, and compares the results with what a quorum certified. An experiment: it votes for
 * nothing, and serves nothing (docs/integrators/follower-in-a-tab.md).
 *
 *   snapshot --tree over its entries--> root = the certified one? --yes--> state, tree
 *   block, chunks --ids, hashes--> signatures --> execution --batch--> state, tree --> roots and counts, remembered
 *   certified preimage --> equal to those of its height? --no--> the parts that differ
 *
 * It never trusts a snapshot, a block or a chunk: what a block names is hashed, and a block counts once a certified preimage of its height, or
 * of one above, has the same parts. Batch checksums name bytes on the disks of nodes, and a follower has none: they are not compared.
 */
import { createBlockMemory, executeBlock, type WriteColumns } from '@slipstream/execution';
import { assert, bytesEqual, to0x } from '@slipstream/primitives';
import { openStateTree, type StateTree } from '@slipstream/state-tree';
import {
  type Block,
  type BlockId,
  blockIdOf,
  type DigestPreimage,
  type GenesisHash,
  hexOf,
  merkleRoot,
  TRANSACTION_LIFE_MS_MAX,
  type TransactionId,
} from '@slipstream/types';
import { FollowerError } from './errors.ts';
import { type CheckAccounts, readChunk } from './read-chunk.ts';
import { createStateMap } from './state-map.ts';

export interface FollowerComponents {
  readonly checkAccounts: CheckAccounts;
  readonly nowMs: () => number;
  /** 32 random bytes, which stay here. They affect no result. */
  readonly secret: Uint8Array;
  /** Lets other work of the thread run. */
  readonly pause: () => Promise<void>;
}

export interface ExecutedBefore {
  readonly timestampMs: number;
  readonly ids: readonly TransactionId[];
}

/** After a block. */
export interface Snapshot {
  readonly block: Block;
  /** Each key once. */
  readonly entries: readonly WriteColumns[];
  /** By the block and its ancestors, within the life of a transaction; oldest first. Not proven: a wrong one can only make results differ. */
  readonly executed: readonly ExecutedBefore[];
}

/** The parts of a digest's preimage that follow from execution. */
type Parts = Omit<DigestPreimage, 'parentDigest' | 'batchChecksum'>;

export interface FollowedBlock {
  readonly blockId: BlockId;
  readonly height: number;
  /** Those with receipts, in order. */
  readonly transactionIds: readonly TransactionId[];
  readonly verifyMs: number;
  readonly executeMs: number;
  /** State, tree and receipts. */
  readonly digestMs: number;
}

export interface Follower {
  readonly height: number;
  /** Of the state. */
  readonly entries: number;
  /**
   * `chunks`: serialized, in the order of the payload. Nothing has changed after a FollowerError `wrong-block`, `wrong-chunk` or `unsupported`:
   * another node may have the right bytes. One call at a time.
   */
  execute(block: Block, chunks: readonly Uint8Array[]): Promise<FollowedBlock>;
  /** Names of the parts in which a certified preimage differs. Undefined: its height was not executed here, or too long ago. */
  differences(certified: DigestPreimage): readonly string[] | undefined;
}

/** Heights whose results wait for a certified preimage. */
const REMEMBERED_MAX = 1_024;

/** `certified`: a preimage of the snapshot's height, whose digest a state certificate covers. Throws FollowerError `false-snapshot`. */
export async function openFollower(
  components: FollowerComponents,
  genesisHash: GenesisHash,
  snapshot: Snapshot,
  certified: DigestPreimage,
): Promise<Follower> {
  const { block, entries } = snapshot;
  const blockId = blockIdOf(block);
  if (block.height !== certified.height || !bytesEqual(blockId, certified.blockId)) {
    throw new FollowerError('false-snapshot', `block ${to0x(blockId)} is not the one that is certified at its height`);
  }
  const state = createStateMap(entries);
  const { secret, pause } = components;
  const tree = await openStateTree({ secret, pause }, { block: hexOf(blockId), entries });
  const root = tree.root(tree.tip) as Uint8Array;
  if (!bytesEqual(root, certified.stateRoot)) {
    const text = `the entries have the root ${to0x(root)}, and ${to0x(certified.stateRoot)} is certified`;
    throw new FollowerError('false-snapshot', text, { height: block.height });
  }
  return createFollower({ ...components, state, tree, genesisHash }, snapshot);
}

interface OpenParts extends FollowerComponents {
  readonly state: ReturnType<typeof createStateMap>;
  readonly tree: StateTree;
  readonly genesisHash: GenesisHash;
}

function createFollower(
  { state, tree, genesisHash, checkAccounts, nowMs, secret }: OpenParts,
  { block: first, executed: before }: Snapshot,
): Follower {
  const memory = createBlockMemory(secret.subarray(0, 8));
  const window = createExecutedWindow(before);
  const remembered = new Map<number, Parts>();
  let tip = first;
  let isExecuting = false;

  async function executeChild(block: Block, bytes: readonly Uint8Array[]): Promise<FollowedBlock> {
    checkChild(block, tip);
    if (bytes.length !== block.payload.length) {
      throw new FollowerError('wrong-chunk', `the block names ${block.payload.length} chunks, not ${bytes.length}`);
    }
    const startMs = nowMs();
    const chunks = await Promise.all(
      block.payload.map(({ chunkId }, i) => readChunk(bytes[i] as Uint8Array, chunkId, checkAccounts)),
    );
    const verifiedMs = nowMs();
    const ran = executeBlock({ ...block, genesisHash, chunks, read: state.read, seen: window.has, memory });
    const executedMs = nowMs();
    const blockId = blockIdOf(block);
    const id = hexOf(blockId);
    state.apply(ran.batch);
    const stateRoot = await tree.apply(tree.tip, id, ran.batch);
    await tree.commit(id);
    const { receiptBytes, next, distilled } = ran;
    const receiptsRoot = merkleRoot(receiptBytes);
    const transactionCount = receiptBytes.length;
    remember({ height: block.height, blockId, stateRoot, receiptsRoot, transactionCount, next, distilled });
    const transactionIds = ran.receipts.map(({ transactionId }) => transactionId);
    window.add({ timestampMs: block.timestampMs, ids: transactionIds });
    tip = block;
    return {
      blockId,
      height: block.height,
      transactionIds,
      verifyMs: verifiedMs - startMs,
      executeMs: executedMs - verifiedMs,
      digestMs: nowMs() - executedMs,
    };
  }

  function remember(parts: Parts): void {
    remembered.set(parts.height, parts);
    remembered.delete(parts.height - REMEMBERED_MAX);
  }

  return {
    get height() {
      return tip.height;
    },
    get entries() {
      return state.size;
    },
    async execute(block, chunks) {
      assert(!isExecuting, 'a follower executes one block at a time');
      isExecuting = true;
      try {
        return await executeChild(block, chunks);
      } finally {
        isExecuting = false;
      }
    },
    differences(certified) {
      const own = remembered.get(certified.height);
      return own && differingParts(own, certified);
    },
  };
}

/** The first block of an epoch may follow fillers, which have no height of their own: its certified preimage shows that it is the right one. */
function checkChild(block: Block, tip: Block): void {
  const isNext = block.height === tip.height + 1 && block.timestampMs > tip.timestampMs;
  if (isNext && (block.epoch !== tip.epoch || bytesEqual(block.parentId, blockIdOf(tip)))) return;
  const text = `block ${to0x(blockIdOf(block))}, height ${block.height}, is no child of the block at height ${tip.height}`;
  throw new FollowerError('wrong-block', text, { height: block.height });
}

function differingParts(own: Parts, certified: Parts): readonly string[] {
  const [a, b] = [fieldsOf(own), fieldsOf(certified)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]);
}

function fieldsOf({ blockId, stateRoot, receiptsRoot, transactionCount, next, distilled }: Parts) {
  const fields: Record<string, string | number> = {
    blockId: to0x(blockId),
    stateRoot: to0x(stateRoot),
    receiptsRoot: to0x(receiptsRoot),
    transactionCount,
    next: to0x(next),
  };
  if (distilled === undefined) return fields;
  fields.batchesRoot = to0x(distilled.batchesRoot);
  fields.batches = distilled.batches;
  fields.directoryRoot = to0x(distilled.directoryRoot);
  fields.directorySize = distilled.directorySize;
  return fields;
}

interface ExecutedWindow {
  readonly has: (id: TransactionId) => boolean;
  add(executed: ExecutedBefore): void;
}

/** Ids of one life: later, a transaction has expired. */
function createExecutedWindow(before: readonly ExecutedBefore[]): ExecutedWindow {
  /** Times of blocks by id, oldest first. */
  const times = new Map<string, number>();

  function add({ timestampMs, ids }: ExecutedBefore): void {
    for (const id of ids) times.set(hexOf(id), timestampMs);
    for (const [id, atMs] of times) {
      if (atMs >= timestampMs - TRANSACTION_LIFE_MS_MAX) break;
      times.delete(id);
    }
  }

  for (const each of before) add(each);
  return { has: (id) => times.has(hexOf(id)), add };
}
