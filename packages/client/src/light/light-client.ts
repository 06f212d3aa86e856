/**
 * A client that trusts the genesis file, and a checkpoint, alone: any number of nodes tell it heights, and it takes what they prove.
 *
 *   nodes --streams--> reported heights --newest, one at a time--> certificates, handovers --verified in a worker--> head
 *                             \--another block than the proven one--> its certificates --hold--> conflict: more than a third lied
 *                             |                                                    \--do not--> the node is excluded
 *                             \--below the head for too long--> behind
 *
 * It remembers the head, the newest heights to compare with, and the committees of the newest epochs: nothing grows with the chain. A proof
 * says when, not that nothing came after: where all nodes hide new heights it is stalled, and says so.
 */
import { to0x } from '@slipstream/primitives';
import type { BlockView } from '@slipstream/schema';
import type { CallOptions } from '../call-options.ts';
import { createClient } from '../create-client.ts';
import { deadlineAfter, eitherSignal } from '../deadline.ts';
import type { EpochCommittees } from '../epochs/committees.ts';
import {
  accountRead,
  dataRead,
  type ProvenAccount,
  type ProvenData,
  type ProvenSession,
  sessionRead,
} from '../proven-values.ts';
import { createAggregateVerifier } from './aggregates.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { createLightChain } from './chain.ts';
import { createHeadFinder } from './head-finder.ts';
import { createHeads } from './heads.ts';
import { createLightNode } from './node.ts';
import {
  ANSWER_BYTES_MAX,
  type Conflict,
  type LightCheckpoint,
  type LightClientOptions,
  type LightHead,
  type NodeView,
} from './options.ts';
import {
  blockReader,
  createJudge,
  createProve,
  directoryReader,
  type Judge,
  type Prove,
  type Proven,
  receiptReader,
  rowReader,
  stateReader,
  type VerifiedEntry,
  type VerifiedReceipt,
  type VerifiedRowReceipt,
} from './reads.ts';
import { checkUrls, committeesFrom } from './trusted.ts';

export interface LightClient {
  /** Undefined: nothing is proven so far. */
  head(): LightHead | undefined;
  /** The next head at or above `height`; default: any. Throws ClientError `timeout`, `aborted`, `closed` or `forked`. */
  headAt(options?: CallOptions & { readonly height?: number; readonly timeoutMs?: number }): Promise<LightHead>;
  /** What each node did, in the order of `urls`. */
  nodes(): readonly NodeView[];
  conflict(): Conflict | undefined;
  /** As far as they were followed. */
  readonly committees: EpochCommittees;
  /** Of a transaction; a failed one has a receipt too. Reads throw ClientError `unproven`, `aborted`, `closed` or `forked`. */
  receipt(transactionId: string, options?: CallOptions): Promise<Proven<VerifiedReceipt>>;
  /** What became of a row of a distilled batch. */
  row(rowId: string, options?: CallOptions): Promise<Proven<VerifiedRowReceipt>>;
  /** Of the account directory, by index. */
  directoryEntry(index: number, options?: CallOptions): Promise<Proven<VerifiedEntry>>;
  /** Present state, not below what was proven before. An account or session that does not exist is proven too. */
  account(account: string, options?: CallOptions): Promise<Proven<ProvenAccount>>;
  data(account: string, name: string, options?: CallOptions): Promise<Proven<ProvenData>>;
  session(id: string, options?: CallOptions): Promise<Proven<ProvenSession>>;
  /** Any height that nodes still have. */
  block(height: number, options?: CallOptions): Promise<Proven<BlockView['block']>>;
  /** Any other proof. */
  readonly prove: Prove;
  /**
   * Verifies what the caller holds already, with the steps that `check` gives. The error has `unknownEpoch` where nothing can be said of it.
   * Throws ClientError `closed` or `forked`.
   */
  readonly judge: Judge;
  /** Plain JSON, of now. */
  checkpoint(): LightCheckpoint;
  /** Idempotent. */
  close(): void;
}

const BUSY_SHARE_MAX = 0.2;
const TIMEOUT_MS = 10_000;

/**
 * Opens streams to all nodes; nothing is requested before the first of them reports a height. Throws ClientError `bad-argument` for a genesis
 * file, a checkpoint or a URL that is none, and `wrong-chain` for a checkpoint of another chain.
 */
export function openLightClient(options: LightClientOptions): LightClient {
  checkUrls(options.urls);
  return createLightClient(committeesFrom(options), options);
}

function createLightClient(committees: EpochCommittees, options: LightClientOptions): LightClient {
  const { urls, checkpoint, timeoutMs = TIMEOUT_MS, busyShareMax = BUSY_SHARE_MAX } = options;
  const genesisHash = to0x(committees.genesisHash);
  const aggregates = createAggregateVerifier(options.checks ?? 'worker');
  const chain = createLightChain(committees, aggregates);
  const limitedFetch = boundedFetch(options.fetch ?? ((url, init) => fetch(url, init)), ANSWER_BYTES_MAX);
  const { WebSocket } = options;
  const heads = createHeads(
    chain,
    () => nodes,
    () => finder.stop(),
    options,
  );
  const nodes = urls.map((url) =>
    createLightNode({
      url,
      client: createClient({ url, timeoutMs, fetch: limitedFetch, ...(WebSocket && { WebSocket }) }),
      genesisHash,
      onReport(node, block) {
        heads.compare(node, block);
        finder.wake();
      },
      onChange: (view) => options.onNode?.(view),
    }),
  );
  const finder = createHeadFinder({
    chain,
    nodes: () => nodes,
    headHeight: heads.height,
    onCertified: (node, { certified }) => heads.add(node, certified),
    onCheck: (check) => options.onCheck?.(check),
    heights: options.heights ?? 'newest',
    onFork: heads.fork,
    busyShareMax,
  });
  /** Those that follow first, the least faulty first. */
  const askable = () =>
    nodes
      .filter(({ record }) => record.view().state !== 'excluded')
      .toSorted((a, b) => rankOf(a.record.view()) - rankOf(b.record.view()));
  const { checkOpen } = heads;
  const prove = createProve({ chain, nodes: askable, presentHeightMin: heads.presentHeightMin, checkOpen });

  return {
    head: heads.newest,
    headAt: ({ height = 0, timeoutMs: withinMs = 30_000, signal } = {}) =>
      heads.reached(height, eitherSignal(signal, deadlineAfter(withinMs)), signal),
    nodes: () => nodes.map(({ record }) => record.view()),
    conflict: heads.conflict,
    committees,
    receipt: (id, o) => prove(receiptReader(id), o),
    row: (id, o) => prove(rowReader(id), o),
    directoryEntry: (index, o) => prove(directoryReader(index), o),
    account: async (account, o) => prove(stateReader(accountRead(account)), o),
    data: async (account, name, o) => prove(stateReader(dataRead(account, name)), o),
    session: async (id, o) => prove(stateReader(sessionRead(id)), o),
    block: (height, o) => prove(blockReader(height), o),
    prove,
    judge: createJudge({ chain, nodes: askable, checkOpen }),
    checkpoint() {
      const members = committees.newest().members.map(({ weight, blsPublicKey }) => ({
        weight,
        blsPublicKey: to0x(blsPublicKey),
      }));
      return { ...committees.pin(), members, height: heads.newest()?.height ?? checkpoint?.height ?? null };
    },
    close() {
      finder.stop();
      heads.close();
      for (const node of nodes) node.close();
      aggregates.close();
    },
  };
}

const NOT_FOLLOWING = 1_000_000;

function rankOf({ state, faults, behind }: NodeView): number {
  return (state === 'following' ? 0 : NOT_FOLLOWING) + (behind ? NOT_FOLLOWING / 2 : 0) + faults;
}
