/**
 * The real pipeline, state store and ledger on simulated disk and store:
 *
 *   consensus --execute, finalized, certified--> pipeline --> ledger, state store          power cuts of both
 *                                                      \--> chunk files; reported and visible state --> rules P1 to P6, V1, V2
 *
 * A chunk's random bytes encode transfers and data of a few accounts, some of which execution skips or fails.
 */
import { type ChunkFiles, openChunkFiles } from '@slipstream/chunk-files';
import type { Application } from '@slipstream/consensus';
import {
  type BlockChunk,
  createParallelCalls,
  executeBlock,
  genesisBatch,
  type ParallelCalls,
} from '@slipstream/execution';
import { type Ledger, type LedgerFiles, openLedger } from '@slipstream/ledger';
import { createPipeline, type Pipeline, type PipelineMode, treeOfStore } from '@slipstream/pipeline';
import { type Clock, type Disk, type KeyValue, type Random, silentTelemetry } from '@slipstream/ports';
import { EPOCH_MS, type NodeWorld } from '@slipstream/simulator';
import { openStateStore, type StateStore } from '@slipstream/state';
import { createEpochArchive } from '@slipstream/sync';
import { type Block, type BlockId, type ChunkId, height, hexOf } from '@slipstream/types';
import * as arrange from '../../../packages/execution/test/builders.ts';
import { createChanceWorkers, type PlayedCalls } from './calls/chance-workers.ts';
import { ACCOUNTS } from './calls/simulated-calls.ts';
import type { SimulatedChain } from './committee.ts';
import type { ExecutionRecord } from './execution-record.ts';
import type { OrderingApplication } from './ordering-application.ts';
import type { Root } from './ordering-ledger.ts';
import { idIn, isChunkKey, type PayloadsOfNode } from './payloads.ts';

export interface ExecutingOptions {
  readonly mode: PipelineMode;
  /** Per block, virtual ms; one block after another. */
  readonly executeMsMax: number;
  /** From here on it executes no transaction. */
  readonly divergesFrom?: number;
  /** That run calls beside the executor. Default: none. */
  readonly workers?: { readonly count: number; readonly played: PlayedCalls };
}

export const STATE_FOLDER = 'state';
const LEDGER = 'blocks';
export const CHUNK_INDEX = 'chunks';
/** A few blocks. */
const CHUNK_FILE_BYTES_MAX = 1_000;
/** Below one transfer's, so that the block files are used. */
const BODY_IN_STORE_BYTES_MAX = 64;
const LIFE_MS_MAX = 90_000;
const TRANSACTIONS_MAX = 8;

export const genesis = {
  ...arrange.genesis(Object.fromEntries(Array.from({ length: ACCOUNTS }, (_, i) => [i + 1, 1_000n]))),
  timestampMs: EPOCH_MS - 1000,
};

/** In many chunks; each must be executed once. */
const REPEATED = 8;
const REPEATED_EXPIRY_MS = EPOCH_MS + 55_000;

type Chance = [number, number, number, number, number, number, number];

/** Eight bytes decide each transaction; one in four is a repeated one. */
export function chunkOfBytes(bytes: Uint8Array, { genesisHash, calls }: SimulatedChain): BlockChunk {
  const count = 1 + ((bytes[0] as number) % TRANSACTIONS_MAX);
  const transactions = Array.from({ length: count }, (_, i) => {
    const [from, to, amount, name, life, signed, salt] = [...bytes.subarray(i * 8, i * 8 + 7)] as Chance;
    if (life % 4 === 0) {
      const plain = { salt: salt % REPEATED, expiryMs: REPEATED_EXPIRY_MS };
      return arrange.transaction({ ...(calls?.repeated?.(salt) ?? plain), genesisHash });
    }
    const receiver = 1 + (to % ACCOUNTS);
    const other =
      name % 3 === 0 ? arrange.setData(`n${name % 7}`, `${amount}`) : arrange.transfer(receiver, BigInt(amount));
    const isCall = calls !== undefined && name % 3 !== 0;
    const drawn = { to: receiver, amount, salt };
    const actions = isCall ? [calls.action(drawn, genesisHash), ...(calls.more?.(drawn) ?? [])] : [other];
    return arrange.transaction({
      from: 1 + (from % ACCOUNTS),
      actions,
      genesisHash,
      salt: 100 + salt,
      expiryMs: EPOCH_MS + Math.floor((life * LIFE_MS_MAX) / 256),
      signatureValid: signed % 8 !== 0,
    });
  });
  return { epoch: 0, producer: (bytes[1] as number) % genesis.members.length, transactions };
}

export interface PipelineParts {
  readonly disk: Disk;
  readonly keyValue: KeyValue;
  readonly clock: Clock;
  readonly chain: SimulatedChain;
  readonly mode: PipelineMode;
  /** Of the ledger. Default: none. */
  readonly files?: LedgerFiles;
  readonly hasRoom?: boolean;
  readonly chunksOf: (blockId: BlockId, block: Block, signal: AbortSignal) => Promise<readonly BlockChunk[]>;
  readonly keepChunks?: (block: Block) => Promise<void>;
  /** Default: all calls run in order. */
  readonly parallel?: ParallelCalls | undefined;
  readonly executeBlock?:
    | typeof executeBlock
    | ((...block: Parameters<typeof executeBlock>) => Promise<ReturnType<typeof executeBlock>>);
}

export interface OpenedPipeline {
  readonly pipeline: Pipeline;
  readonly state: StateStore;
  readonly ledger: Ledger;
}

/** A few keys at a time, and other work between them. */
export function slowTree(clock: Clock): Parameters<typeof treeOfStore>[1] {
  return {
    secret: new Uint8Array(32),
    pause: () => new Promise((resolve) => void clock.after(0, resolve)),
    sliceKeys: 3,
  };
}

/** Nearly every batch fits. */
const ROOM = { fromBytes: 150, bytesMax: 400 };
const NO_ROOM = { fromBytes: Number.POSITIVE_INFINITY, bytesMax: 0 };

export async function openState(
  disk: Disk,
  { genesisHash, genesisId, calls }: SimulatedChain,
  hasRoom = true,
): Promise<StateStore> {
  const { store } = await openStateStore(
    { disk, telemetry: silentTelemetry },
    {
      directory: STATE_FOLDER,
      genesisHash,
      genesisBlock: hexOf(genesisId),
      genesisBatch: genesisBatch({ ...genesis, applications: calls?.genesis }, (secret) => secret, calls?.open()),
      // Small, so that logs are compacted within a run.
      parameters: { history: 4, deadPercent: 60, deadBytesMin: 300, deadBytesMax: 4_000, moveBytesMax: 500 },
      preallocation: hasRoom ? ROOM : NO_ROOM,
      hashKey: new Uint8Array(8),
    },
  );
  return store;
}

export function openFiles(parts: {
  readonly disk: Disk;
  readonly index: KeyValue;
  readonly random: Random;
  readonly chain: SimulatedChain;
  readonly home?: string;
}): Promise<ChunkFiles> {
  const { disk, index, random, chain, home = '' } = parts;
  const options = { directory: `${home}chunk-files`, genesisHash: chain.genesisHash };
  const components = { disk, index, random, telemetry: silentTelemetry };
  return openChunkFiles(components, { ...options, segmentBytesMax: CHUNK_FILE_BYTES_MAX });
}

export async function openPipeline(parts: PipelineParts): Promise<OpenedPipeline> {
  const { disk, keyValue, clock, chain, mode, chunksOf, keepChunks = async () => {} } = parts;
  const telemetry = silentTelemetry;
  const state = await openState(disk, chain, parts.hasRoom);
  const ledger = await openLedger({ keyValue, files: parts.files, telemetry }, { genesisHash: chain.genesisHash });
  const tree = await treeOfStore(state, slowTree(clock));
  const pipeline = await createPipeline(
    {
      state,
      tree,
      ledger,
      clock,
      telemetry,
      chunksOf,
      keepChunks,
      applications: chain.calls?.open(),
      parallel: parts.parallel,
      ...(parts.executeBlock ? { executeBlock: parts.executeBlock } : {}),
    },
    { genesis, genesisHash: chain.genesisHash, mode, hashKey: new Uint8Array(8) },
  );
  return { pipeline, state, ledger };
}

export interface Execution {
  readonly root: Root;
  /** Newest first, down to the first at or before this time. */
  recent(downToMs: number): Promise<readonly { readonly blockId: BlockId; readonly block: Block }[]>;
  /** A ledger of payloads; chunks are in the chunk files. */
  keeping(ledger: KeyValue): KeyValue;
  application(payloads: PayloadsOfNode): OrderingApplication;
}

const CHUNK_RETRY_MS = 20;

export async function openExecution(
  world: NodeWorld,
  chain: SimulatedChain,
  home: string,
  { mode, executeMsMax, divergesFrom = Number.POSITIVE_INFINITY, workers }: ExecutingOptions,
  executions: ExecutionRecord,
): Promise<Execution> {
  const { clock, random } = world;
  let payloads: PayloadsOfNode | undefined;
  const index = world.keyValue(`${home}${CHUNK_INDEX}`);
  const files = await openFiles({ disk: world.disk, index, random: random.fork('chunk files'), chain, home });
  const sleep = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

  async function chunkOf(id: ChunkId, signal: AbortSignal): Promise<BlockChunk> {
    while (!signal.aborted) {
      const bytes = (await payloads?.get(id)) ?? (await files.get(id));
      if (bytes) {
        executions.chunk(id, bytes);
        return chunkOfBytes(bytes, chain);
      }
      await sleep(CHUNK_RETRY_MS);
    }
    throw new Error('aborted');
  }

  const { pipeline, state, ledger } = await openPipeline({
    disk: world.disk,
    keyValue: world.keyValue(`${home}${LEDGER}`),
    files: {
      disk: world.disk,
      random: random.fork('block files'),
      directory: `${home}block-files`,
      segmentBytesMax: CHUNK_FILE_BYTES_MAX,
      storeBytesMax: BODY_IN_STORE_BYTES_MAX,
    },
    clock,
    chain,
    mode,
    parallel: workers && chain.calls && createParallelCalls(createChanceWorkers(chain.calls, workers, random)),
    chunksOf: (_, { payload }, signal) => Promise.all(payload.map(({ chunkId }) => chunkOf(chunkId, signal))),
    async keepChunks(block) {
      const puts = (await payloads?.commitOf(block)) ?? [];
      const kept = puts.flatMap((put) => (put.type === 'put' ? [{ chunkId: idIn(put.key), bytes: put.value }] : []));
      await files.put(block.height, kept);
    },
    async executeBlock(block) {
      await sleep(random.unit() * executeMsMax);
      return executeBlock(block.height >= divergesFrom ? { ...block, chunks: [] } : block);
    },
  });
  const rules = executions.opened(world.peer, pipeline.reconciled, clock.monotonicMs);
  pipeline.onHalted((halt) => world.exit(halt.type === 'diverged' ? 'diverged: P4' : `halted: ${String(halt.error)}`));

  async function rootOf(): Promise<Root> {
    const found = await ledger.block('latest');
    if (!found) return { block: chain.genesis, blockId: chain.genesisId, certificate: undefined };
    const { finalization, stateCertificate } = await ledger.certificates(found.block.height);
    return { ...found, certificate: stateCertificate ?? finalization };
  }

  function applicationBy(): Pick<Application, 'execute' | 'notarized' | 'finalized' | 'certified'> {
    return {
      execute(blockId, block) {
        rules.visible(state.tip.block);
        const digesting = pipeline.execute(blockId, block);
        void digesting.then(() => rules.executed(blockId));
        return digesting;
      },
      notarized: (blockId) => pipeline.notarized(blockId),
      finalized(blockId, block, certificate) {
        rules.final(blockId, block);
        pipeline.finalized(blockId, block, certificate);
      },
      certified(certificate) {
        rules.certified(certificate);
        pipeline.certified(certificate);
      },
    };
  }

  const root = await rootOf();
  rules.restored(root);
  return {
    root,
    async recent(downToMs) {
      const recent: { blockId: BlockId; block: Block }[] = [];
      for (let at: number = root.block.height; at > 0; at--) {
        const found = await ledger.block({ height: height(at) });
        if (!found || found.block.timestampMs < downToMs) break;
        recent.push(found);
      }
      return recent;
    },
    keeping: (ledger) => ({
      ...ledger,
      get: (key) => (isChunkKey(key) ? files.get(idIn(key)) : ledger.get(key)),
    }),
    application(opened) {
      payloads = opened;
      const listeners: ((block: Block) => void)[] = [];
      pipeline.onCommitted((committed) => {
        if (!world.lifetime.alive) return;
        rules.committed(committed, state.tip.block);
        opened.committed(committed.blockId, committed.block);
        for (const listener of listeners) listener(committed.block);
      });
      pipeline.start();
      return {
        onCommitted: (listener) => void listeners.push(listener),
        buildPayload: (request) => opened.build(request),
        checkPayload: (blockId, block, signal) => opened.check(blockId, block, signal),
        ...applicationBy(),
        hasPending: () => opened.hasPending(),
        archive: {
          blockById: async (id) => (await ledger.block({ id }))?.block,
          finalizedRange: (from, to, limit) => ledger.finalizedRange(from, Math.min(to, from + limit - 1)),
          epochs: createEpochArchive(ledger),
          chunkById: (id) => opened.get(id),
        },
      };
    },
  };
}
