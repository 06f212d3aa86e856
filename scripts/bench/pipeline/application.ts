/**
 * The application of a bench member: real pipeline, execution, state store and ledger; beside some members, a full node.
 *
 *   consensus --execute, finalized, certified--> the validator's pipeline
 *                      \--link of linkMs--------> the full node's: in parallel mode each event at once; in the baseline (Zaptos,
 *                                                 section 2) a block once its validator has committed it
 *
 * Execution takes executeMs of virtual time in the executor lane, appending appendMs in the disk's. Chunks are always available.
 */
import type { Application } from '@slipstream/consensus';
import { type BlockChunk, executeBlock, genesisBatch } from '@slipstream/execution';
import { openLedger } from '@slipstream/ledger';
import { type CommittedBlock, createPipeline, type Pipeline, type PipelineMode } from '@slipstream/pipeline';
import { silentTelemetry } from '@slipstream/ports';
import { sha256, utf8 } from '@slipstream/primitives';
import { EPOCH_MS, type NodeWorld } from '@slipstream/simulator';
import { openStateStore } from '@slipstream/state';
import { asId, type ChunkId, hexOf } from '@slipstream/types';
import * as arrange from '../../../packages/execution/test/builders.ts';
import type { SimulatedChain } from '../../../test/simulation/harness/committee.ts';

export interface Work {
  readonly mode: PipelineMode;
  readonly executeMs: number;
  readonly transactions: number;
}

export interface FullNodeWatch {
  ordered(view: number): void;
  committed(block: CommittedBlock): void;
}

export interface BenchChain {
  /** By id, for every node. */
  readonly chunks: Map<string, BlockChunk>;
  /** One way, between a validator and its full node. */
  readonly linkMs: number;
}

const SENDER = 1;
const RECEIVER = 2;
const LIFE_MS = 30_000;
const genesis = { ...arrange.genesis({ [SENDER]: 10n ** 15n, [RECEIVER]: 1n }), timestampMs: EPOCH_MS - 1000 };

export async function createBenchApplication(
  world: NodeWorld,
  chain: SimulatedChain,
  work: Work,
  bench: BenchChain,
  watch: FullNodeWatch | undefined,
): Promise<Application> {
  const validator = await openPipeline(world, chain, work, bench, 'validator');
  const followers: Pipeline[] = [validator];
  if (watch) followers.push(await openFullNode(world, chain, work, bench, watch, validator));
  let proposed = 0;

  /** To the validator's pipeline at once, to the full node's across the link, in order. */
  function notify(news: (pipeline: Pipeline) => void): void {
    news(validator);
    for (const other of work.mode === 'parallel' ? followers.slice(1) : []) {
      world.clock.after(bench.linkMs, () => news(other));
    }
  }

  return {
    async buildPayload({ timestampMs }) {
      const chunkId = asId<ChunkId>(sha256(utf8(`${world.peer} ${++proposed}`)));
      const transactions = Array.from({ length: work.transactions }, () =>
        arrange.transaction({
          from: SENDER,
          actions: [arrange.transfer(RECEIVER, 1n)],
          genesisHash: chain.genesisHash,
          expiryMs: timestampMs + LIFE_MS,
        }),
      );
      bench.chunks.set(hexOf(chunkId), { producer: 0, transactions });
      return [{ chunkId, certificate: undefined }];
    },
    checkPayload: async () => ({ type: 'valid' }),
    execute(blockId, block) {
      notify((pipeline) => void pipeline.execute(blockId, block));
      return validator.execute(blockId, block);
    },
    notarized: (blockId) => notify((pipeline) => pipeline.notarized(blockId)),
    finalized: (blockId, block, certificate) => notify((pipeline) => pipeline.finalized(blockId, block, certificate)),
    certified: (certificate) => notify((pipeline) => pipeline.certified(certificate)),
    hasPending: () => true,
  };
}

async function openFullNode(
  world: NodeWorld,
  chain: SimulatedChain,
  work: Work,
  bench: BenchChain,
  watch: FullNodeWatch,
  validator: Pipeline,
): Promise<Pipeline> {
  const fullNode = await openPipeline(world, chain, work, bench, 'full-node');
  fullNode.onOrdered(({ block }) => watch.ordered(block.view));
  fullNode.onCommitted(watch.committed);
  if (work.mode === 'sequential') {
    validator.onCommitted(({ blockId, block, certificate, finalization }) => {
      world.clock.after(bench.linkMs, () => {
        const proof = finalization ?? certificate;
        if (proof) fullNode.finalized(blockId, block, proof);
        if (certificate) fullNode.certified(certificate);
      });
    });
  }
  return fullNode;
}

async function openPipeline(
  world: NodeWorld,
  { genesisHash, genesisId }: SimulatedChain,
  { mode, executeMs }: Work,
  { chunks }: BenchChain,
  name: string,
): Promise<Pipeline> {
  const { clock } = world;
  const telemetry = silentTelemetry;
  const { store: state } = await openStateStore(
    { disk: world.disk, telemetry },
    {
      directory: `${name}-state`,
      genesisHash,
      genesisBlock: hexOf(genesisId),
      genesisBatch: genesisBatch(genesis, (secret) => secret),
      parameters: { history: 4 },
      hashKey: new Uint8Array(8),
    },
  );
  const ledger = await openLedger({ keyValue: world.keyValue(name), telemetry }, { genesisHash });
  const pipeline = await createPipeline(
    {
      state,
      ledger,
      clock,
      telemetry,
      chunksOf: async (_, { payload }) => payload.map(({ chunkId }) => chunkIn(chunks, chunkId)),
      keepChunks: async () => {}, // only appending and committing of ledger and state store are measured
      async executeBlock(block) {
        await new Promise<void>((resolve) => void clock.after(executeMs, resolve));
        return executeBlock(block);
      },
    },
    { genesis, genesisHash, mode, hashKey: new Uint8Array(8) },
  );
  pipeline.onHalted((halt) => world.exit(`${name}: the pipeline halted: ${halt.type}`));
  pipeline.start();
  return pipeline;
}

function chunkIn(chunks: BenchChain['chunks'], chunkId: ChunkId): BlockChunk {
  const chunk = chunks.get(hexOf(chunkId));
  if (chunk === undefined) throw new Error(`chunk ${hexOf(chunkId)} was never made`);
  return chunk;
}
