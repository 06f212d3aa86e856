/**
 * Follows a chain in a tab, or in Node: certified heights of a light client, blocks and receipts' proofs of the REST API, chunks and the snapshot
 * of a source beside it.
 *
 *   light client --certified height--> blocks up to it --chunks--> follower
 *                                           \--receipt's proof of the last of them--> certified preimage --> same parts?
 *
 * A proof of any transaction has its block's preimage: the API has no route for one. A height without transactions is checked with the next one
 * that has some, whose state root covers it.
 */
import { type Client, ClientError, createClient } from '@slipstream/client';
import { type LightClient, openLightClient } from '@slipstream/client/light';
import { fromHex, to0x } from '@slipstream/primitives';
import { type BlockView, blockFromJson } from '@slipstream/schema';
import {
  asId,
  type Block,
  type ChunkId,
  hexOf,
  ID_BYTES,
  TRANSACTION_LIFE_MS_MAX,
  type TransactionId,
} from '@slipstream/types';
import { FollowerError } from './errors.ts';
import {
  type ExecutedBefore,
  type FollowedBlock,
  type Follower,
  type FollowerComponents,
  openFollower,
} from './follower.ts';
import { certifiedPreimage, decodeEntries, type SnapshotHead } from './snapshot-wire.ts';

/** What a node's REST API lacks. */
export interface Source {
  head(): Promise<SnapshotHead>;
  entries(): Promise<Uint8Array>;
  /** Serialized. */
  chunk(id: ChunkId): Promise<Uint8Array>;
}

export interface Opened {
  readonly height: number;
  readonly entries: number;
  /** Snapshot and what was executed before it. */
  readonly fetchMs: number;
  /** Tree, root, state. */
  readonly openMs: number;
}

/** A block whose result is the certified one. */
export interface CheckedBlock extends FollowedBlock {
  /** From its request to its last byte, with its chunks. */
  readonly fetchMs: number;
  /** From its commit at the node to here. */
  readonly lagMs: number;
}

export interface Following {
  readonly opened: Opened;
  /** Since the last call. Throws what ended the following. */
  take(): readonly CheckedBlock[];
  close(): void;
}

interface FollowingOptions {
  /** The genesis file's JSON. */
  readonly genesis: unknown;
  readonly url: string;
  readonly source: Source;
}

const HEAD_MS_MAX = 60_000;
/** The node reports a certified height before its commit. */
const BLOCK_POLL_MS = 20;
const BLOCK_POLLS_MAX = 250;
/** Checks without a proof, one after another. */
const MISSES_MAX = 100;
/** Requests at once. */
const HEIGHTS_AT_ONCE = 16;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Throws FollowerError and ClientError. */
export async function startFollowing(
  components: FollowerComponents,
  { genesis, url, source }: FollowingOptions,
): Promise<Following> {
  const light = openLightClient({ genesis, urls: [url] });
  const client = createClient({ url });
  try {
    await light.headAt({ timeoutMs: HEAD_MS_MAX });
    const { follower, opened } = await openOnSnapshot(components, { light, client, source });
    return follow(follower, opened, { light, client, source });
  } catch (error) {
    light.close();
    throw error;
  }
}

interface Parts {
  readonly light: LightClient;
  readonly client: Client;
  readonly source: Source;
}

async function openOnSnapshot(components: FollowerComponents, { light, client, source }: Parts) {
  const { nowMs } = components;
  const startMs = nowMs();
  const head = await source.head();
  const { value: certified } = await light.prove({
    ask: async () => head,
    verify: certifiedPreimage,
  });
  const block = readBlock(head.block);
  const [bytes, executed] = await Promise.all([source.entries(), executedBefore(client, block)]);
  const fetchedMs = nowMs();
  const entries = decodeEntries(bytes);
  const { genesisHash } = light.committees;
  const follower = await openFollower(components, genesisHash, { block, entries, executed }, certified);
  const times = { fetchMs: fetchedMs - startMs, openMs: nowMs() - fetchedMs };
  const opened: Opened = { height: follower.height, entries: follower.entries, ...times };
  return { follower, opened };
}

/** Of the block and its ancestors within the life of a transaction; oldest first. */
async function executedBefore(client: Client, block: Block): Promise<readonly ExecutedBefore[]> {
  const before: ExecutedBefore[] = [];
  for (let to: number = block.height; to > 0; to -= HEIGHTS_AT_ONCE) {
    const heights = Array.from({ length: Math.min(to, HEIGHTS_AT_ONCE) }, (_, i) => to - i);
    const found = await Promise.all(heights.map((height) => executedAt(client, height)));
    before.push(...found);
    const oldest = found.at(-1);
    if (oldest === undefined || oldest.timestampMs < block.timestampMs - TRANSACTION_LIFE_MS_MAX) break;
  }
  return before.reverse();
}

async function executedAt(client: Client, height: number): Promise<ExecutedBefore> {
  const [{ block }, { success, failed }] = await Promise.all([client.block(height), client.blockOutcomes(height)]);
  return { timestampMs: block.timestampMs, ids: [...idsIn(success), ...idsIn(failed)] };
}

function idsIn(text: string): readonly TransactionId[] {
  const bytes = fromHex(text);
  const idAt = (_: unknown, i: number) => asId<TransactionId>(bytes.subarray(i * ID_BYTES, (i + 1) * ID_BYTES));
  return Array.from({ length: bytes.length / ID_BYTES }, idAt);
}

function readBlock(json: BlockView['block']): Block {
  const read = blockFromJson(json);
  if (!read.ok) throw new FollowerError('wrong-block', read.error, { height: json.height });
  return read.value;
}

interface Waiting {
  readonly followed: FollowedBlock;
  readonly fetchMs: number;
  readonly committedMs: number;
}

function follow(follower: Follower, opened: Opened, { light, client, source }: Parts): Following {
  const stopped = new AbortController();
  /** Executed, without a certified preimage so far; ascending. */
  let waiting: readonly Waiting[] = [];
  let checked: CheckedBlock[] = [];
  let misses = 0;
  let failure: unknown;

  async function followOne(height: number): Promise<void> {
    const startMs = Date.now();
    const view = await blockAt(client, height);
    const block = readBlock(view.block);
    const chunks = await Promise.all(block.payload.map(({ chunkId }) => source.chunk(chunkId)));
    const fetchMs = Date.now() - startMs;
    const followed = await follower.execute(block, chunks);
    waiting = [...waiting, { followed, fetchMs, committedMs: view.times?.committedMs ?? block.timestampMs }];
  }

  /** The node may not have the proof yet: the next check covers these heights. */
  async function check(): Promise<void> {
    try {
      const equal = await compareNewest(follower, light, waiting);
      waiting = waiting.slice(equal.length);
      checked.push(...equal);
      misses = 0;
    } catch (error) {
      misses += 1;
      if (!(error instanceof ClientError && error.code === 'unproven') || misses > MISSES_MAX) throw error;
    }
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      const next = { height: follower.height + 1, timeoutMs: HEAD_MS_MAX, signal: stopped.signal };
      const head = await light.headAt(next);
      while (follower.height < head.height && !stopped.signal.aborted) await followOne(follower.height + 1);
      const newest = waiting.at(-1)?.followed;
      if (newest?.height === head.height && to0x(newest.blockId) !== head.blockId) throw differing(newest, ['blockId']);
      await check();
    }
  }

  run().catch((error: unknown) => {
    if (!stopped.signal.aborted) failure = error;
  });
  return {
    opened,
    take() {
      if (failure !== undefined) throw failure;
      const taken = checked;
      checked = [];
      return taken;
    },
    close() {
      stopped.abort();
      light.close();
    },
  };
}

/** The newest block that has transactions, and with it all below: they are returned. Throws FollowerError `differs`. */
async function compareNewest(
  follower: Follower,
  light: LightClient,
  waiting: readonly Waiting[],
): Promise<readonly CheckedBlock[]> {
  const at = waiting.findLastIndex(({ followed }) => followed.transactionIds.length > 0);
  const newest = waiting[at]?.followed;
  const id = newest?.transactionIds.at(-1);
  if (newest === undefined || id === undefined) return [];
  const { value } = await light.receipt(to0x(id));
  const [preimage] = value.proof.preimages;
  const parts = preimage?.height === newest.height ? follower.differences(preimage) : ['height'];
  if (parts === undefined || parts.length > 0) throw differing(newest, parts ?? []);
  const nowMs = Date.now();
  return waiting
    .slice(0, at + 1)
    .map(({ followed, fetchMs, committedMs }) => ({ ...followed, fetchMs, lagMs: nowMs - committedMs }));
}

async function blockAt(client: Client, height: number): Promise<BlockView> {
  for (let polls = 0; ; polls++) {
    try {
      const view = await client.block(height);
      if (view.status === 'final') return view;
    } catch (error) {
      if (!(error instanceof ClientError) || polls === BLOCK_POLLS_MAX) throw error;
    }
    if (polls >= BLOCK_POLLS_MAX) throw new FollowerError('wrong-block', `the node does not commit height ${height}`);
    await sleep(BLOCK_POLL_MS);
  }
}

function differing({ height, blockId }: FollowedBlock, parts: readonly string[]): FollowerError {
  const text = `a quorum certified other values at height ${height}, block 0x${hexOf(blockId)}: ${parts.join(', ')}`;
  return new FollowerError('differs', text, { height, parts });
}
