/** A node's pipeline on a simulated disk and key-value store, and blocks and certificates to feed it. */
import type { BlockBatch } from '@slipstream/distilled';
import { type BlockChunk, type EpochSeal, executeBlock, genesisBatch } from '@slipstream/execution';
import { type Ledger, openLedger } from '@slipstream/ledger';
import { type Clock, silentTelemetry } from '@slipstream/ports';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  createLifetime,
  createRandom,
  createSimDisk,
  createSimKeyValue,
  type Lifetime,
  type SimDisk,
  type SimKeyValue,
} from '@slipstream/simulator';
import { openStateStore, type StateStore } from '@slipstream/state';
import type { StateTree } from '@slipstream/state-tree';
import {
  epoch as asEpoch,
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type ChunkId,
  type DistilledParameters,
  type EpochEnd,
  type Finalization,
  type Genesis,
  genesisBlock,
  height,
  hexOf,
  type PreparedTransaction,
  payloadRootOf,
  type RecordHash,
  type StateCertificate,
  type StateDigest,
  view,
} from '@slipstream/types';
import * as arrange from '../../execution/test/builders.ts';
import {
  type CommittedBlock,
  createPipeline,
  type Halt,
  type Pipeline,
  type PipelineComponents,
  type PipelineMode,
  treeOfStore,
} from '../src/index.ts';

export const { GENESIS_HASH, NOW_MS, account, transaction, transfer } = arrange;

export interface Proposed {
  readonly blockId: BlockId;
  readonly block: Block;
}

export interface Node {
  readonly pipeline: Pipeline;
  readonly state: StateStore;
  readonly tree: StateTree;
  readonly ledger: Ledger;
  readonly committed: CommittedBlock[];
  readonly ordered: number[];
  readonly halts: Halt[];
  readonly seals: EpochSeal[];
}

export interface NodeOptions {
  readonly mode?: PipelineMode;
  readonly lifetime?: Lifetime;
  readonly distilled?: DistilledParameters;
  readonly applications?: Genesis['applications'];
  readonly components?: Partial<PipelineComponents>;
  readonly treeOf?: (state: StateStore) => Promise<StateTree>;
  readonly onSealed?: (pipeline: Pipeline) => void;
}

export interface BlockForm {
  readonly view?: number;
  readonly timestampMs?: number;
  readonly transactions?: readonly PreparedTransaction[];
  readonly batches?: readonly BlockBatch[];
  readonly payload?: Block['payload'];
  /** Closes the epoch. */
  readonly next?: RecordHash;
}

export const genesis = { ...arrange.genesis({ 1: 1_000_000n, 2: 500n, 3: 500n }), timestampMs: NOW_MS };

export const GENESIS: Proposed = (() => {
  const block = genesisBlock(GENESIS_HASH, genesis.timestampMs);
  return { block, blockId: blockIdOf(block) };
})();

/** Time passes by a ms at every look; what is asked for later happens at the next turn of the loop. */
export function createTestClock(): Clock {
  let now = 0;
  return {
    wallMs: () => NOW_MS + ++now,
    monotonicMs: () => ++now,
    after(_, action) {
      const timer = setImmediate(action);
      return () => clearImmediate(timer);
    },
  };
}

export interface WorldHooks {
  readonly onCall?: () => void;
  readonly seed?: number;
  /** Each call of disk and store takes a few turns of the loop, so that other work comes between. */
  readonly slow?: boolean;
}

function afterTurns(turns: number, action: () => void): void {
  if (turns <= 0) action();
  else setImmediate(() => afterTurns(turns - 1, action));
}

export class World {
  readonly disk: SimDisk;
  /** Of the ledger's bodies, so that an older copy of the state's disk leaves the ledger whole. */
  readonly bodies: SimDisk;
  readonly store: SimKeyValue;
  /** Chunks that are here; `chunksOf` waits for the others. */
  readonly chunks = new Map<string, BlockChunk>();
  readonly held = new Set<string>();
  /** What `keepChunks` made durable: ids of chunks. */
  readonly kept: SimKeyValue;
  /** Of the state tree, between two keys. */
  readonly #pauseTurns: () => number;

  constructor(hooks: WorldHooks = {}) {
    const random = createRandom(hooks.seed ?? 1);
    const observe = () => hooks.onCall?.();
    const slow = { latencyMs: () => random.below(4), schedule: afterTurns };
    this.#pauseTurns = hooks.slow ? () => random.below(3) : () => 0;
    this.disk = createSimDisk({ random, observe, ...(hooks.slow ? slow : {}) });
    this.bodies = createSimDisk({ random, observe, ...(hooks.slow ? slow : {}) });
    this.store = createSimKeyValue({ random, observe, ...(hooks.slow ? slow : {}) });
    this.kept = createSimKeyValue({ random, observe, ...(hooks.slow ? slow : {}) });
  }

  async open({
    mode = 'parallel',
    lifetime = createLifetime(),
    components = {},
    onSealed,
    distilled,
    applications,
    treeOf = (state) => this.#treeOf(state),
  }: NodeOptions = {}): Promise<Node> {
    const telemetry = silentTelemetry;
    const start = { ...genesis, distilled, applications };
    const { store: state } = await openStateStore(
      { disk: this.disk.mount(lifetime), telemetry },
      {
        directory: 'state',
        genesisHash: GENESIS_HASH,
        genesisBlock: hexOf(GENESIS.blockId),
        genesisBatch: genesisBatch(start, (secret) => secret, components.applications),
        parameters: { history: 4 },
        hashKey: new Uint8Array(8),
      },
    );
    const files = {
      disk: this.bodies.mount(lifetime),
      random: createRandom('block files'),
      directory: 'block-files',
      storeBytesMax: 64,
    };
    const keyValue = this.store.mount(lifetime);
    const ledger = await openLedger({ keyValue, files, telemetry }, { genesisHash: GENESIS_HASH });
    const tree = await treeOf(state);
    const kept = this.kept.mount(lifetime);
    const pipeline = await createPipeline(
      {
        state,
        tree,
        ledger,
        chunksOf: (_, block, signal) => this.chunksOf(block, signal),
        keepChunks: ({ payload }) =>
          kept.batch(
            payload.map(({ chunkId }) => ({ type: 'put', key: chunkId, value: new Uint8Array(1) })),
            { sync: true },
          ),
        clock: createTestClock(),
        telemetry,
        ...components,
      },
      { genesis: start, genesisHash: GENESIS_HASH, mode, hashKey: new Uint8Array(8) },
    );
    const node: Node = { pipeline, state, tree, ledger, committed: [], ordered: [], halts: [], seals: [] };
    pipeline.onCommitted((block) => node.committed.push(block));
    pipeline.onOrdered(({ block }) => node.ordered.push(block.height));
    pipeline.onHalted((halt) => node.halts.push(halt));
    pipeline.onSealed((seal) => {
      node.seals.push(seal);
      onSealed?.(pipeline);
    });
    pipeline.start();
    return node;
  }

  #treeOf(state: StateStore): Promise<StateTree> {
    return treeOfStore(state, {
      secret: new Uint8Array(32),
      pause: () => new Promise((resolve) => afterTurns(this.#pauseTurns(), resolve)),
      sliceKeys: 1,
    });
  }

  async chunksOf({ payload }: Block, signal: AbortSignal): Promise<readonly BlockChunk[]> {
    const ids = payload.map(({ chunkId }) => hexOf(chunkId));
    await until(() => signal.aborted || ids.every((id) => this.chunks.has(id) && !this.held.has(id)));
    signal.throwIfAborted();
    return ids.map((id) => this.chunks.get(id) as BlockChunk);
  }

  /** Those of the blocks, by height, whose chunks are not all kept. */
  async unkept(blocks: readonly Block[]): Promise<readonly number[]> {
    const kept = this.kept.mount();
    const heights: number[] = [];
    for (const { payload, height } of blocks) {
      const found = await kept.getMany(payload.map(({ chunkId }) => chunkId));
      if (found.includes(undefined)) heights.push(height);
    }
    return heights;
  }

  /** A child with one chunk; by default one transfer of its own. */
  blockOn(parent: Proposed, form: BlockForm = {}): Proposed {
    const at = form.view ?? parent.block.view + 1;
    const transactions = form.transactions ?? [transaction({ actions: [transfer(2, BigInt(at))] })];
    const { batches } = form;
    const ids = [...transactions.map(({ id }) => hexOf(id)), ...(batches ?? []).map(({ batchId }) => toHex(batchId))];
    const chunkId = asId<ChunkId>(sha256(utf8(ids.join())));
    this.chunks.set(hexOf(chunkId), { epoch: 0, producer: at % 3, transactions, batches });
    const payload = form.payload ?? [{ chunkId, certificate: undefined }];
    const { epoch, next } = parent.block;
    const block: Block = {
      ...parent.block,
      epoch: next === undefined ? epoch : asEpoch(epoch + 1),
      view: view(at),
      height: height(parent.block.height + 1),
      parentId: parent.blockId,
      parentView: parent.block.view,
      timestampMs: form.timestampMs ?? parent.block.timestampMs + 100,
      proposer: at % 3,
      payload,
      payloadRoot: payloadRootOf(payload),
      next: form.next,
    };
    return { block, blockId: blockIdOf(block) };
  }

  /** `blocks` of them, on top of `parent`. */
  chainOn(parent: Proposed, blocks: number): readonly Proposed[] {
    const chain = [parent];
    for (let i = 0; i < blocks; i++) chain.push(this.blockOn(chain[i] as Proposed));
    return chain.slice(1);
  }
}

export function stateCertificate({ blockId, block }: Proposed, stateDigest: StateDigest): StateCertificate {
  return {
    subject: { kind: 'certify', epoch: block.epoch, view: block.view, height: block.height, blockId, stateDigest },
    signers: [0, 1, 2],
    aggregate: new Uint8Array(96).fill(1),
  };
}

export function finalization({ blockId, block }: Proposed): Finalization {
  return {
    subject: { kind: 'finalize', epoch: block.epoch, view: block.view, blockId },
    signers: [0, 1, 2],
    aggregate: new Uint8Array(96).fill(2),
  };
}

export function finalize({ pipeline }: Pick<Node, 'pipeline'>, proposed: Proposed): void {
  pipeline.finalized(proposed.blockId, proposed.block, finalization(proposed));
}

/** The epoch ends with this block, by its own finalization. */
export function endAt(boundary: Proposed): EpochEnd {
  return { ...boundary, fillers: [], certificate: finalization(boundary) };
}

/** Feeds a block all the way, with a certificate of its own. */
export async function settle(node: Node, proposed: Proposed): Promise<StateDigest> {
  const digesting = node.pipeline.execute(proposed.blockId, proposed.block);
  finalize(node, proposed);
  const digest = await digesting;
  node.pipeline.certified(stateCertificate(proposed, digest));
  return digest;
}

/** The digests that a node of its own gives a chain on genesis. */
export async function digestsOf(world: World, chain: readonly Proposed[]): Promise<readonly StateDigest[]> {
  const other = new World();
  for (const [id, chunk] of world.chunks) other.chunks.set(id, chunk);
  const node = await other.open();
  return Promise.all(chain.map(({ blockId, block }) => node.pipeline.execute(blockId, block)));
}

const TURNS_MAX = 5_000;

/** Yields the thread until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > TURNS_MAX) throw new Error(`still not so after ${TURNS_MAX} turns: ${condition}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Long enough for everything that can happen to have happened. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export async function untilCommitted(node: Node, at: number): Promise<void> {
  await until(() => node.halts.length > 0 || node.pipeline.status().committedHeight >= at);
  if (node.halts[0]) throw new Error(`halted: ${JSON.stringify(node.halts[0], (_, value) => String(value))}`);
}

export { executeBlock };

type Files = readonly (readonly [path: string, bytes: Uint8Array])[];

export function filesOf({ disk }: World): Files {
  return disk.paths().map((path) => [path, disk.contents(path) as Uint8Array]);
}

/** In place of those that are there. */
export async function putFiles({ disk }: World, files: Files): Promise<void> {
  const mounted = disk.mount();
  for (const path of disk.paths()) await mounted.remove(path);
  for (const [path, bytes] of files) {
    const file = await mounted.open(path, { create: true });
    await file.write(0, [bytes]);
    await file.sync();
    await file.close();
  }
}
