/**
 * A member in virtual time, some with a full node and a client beside them: real dissemination, pipeline, execution, state store, ledger, chunk files.
 *
 *   client --> full node --link--> validator's dissemination --> chunks, acks, certificates --> others
 *   consensus --execute, finalized, certified--> the validator's pipeline
 *                      \--link--> the full node's: in parallel mode each event at once; in the baseline (Zaptos, section 2) a block once
 *                                 its validator has committed it
 *
 * Execution and digesting really run, and take their measured time in the executor's lane. Syncs and written bytes take theirs in the disk's.
 */
import { type ChunkFiles, openChunkFiles } from '@slipstream/chunk-files';
import type { Application } from '@slipstream/consensus';
import { createDissemination, createHedgedFetch, type Dissemination } from '@slipstream/dissemination';
import { type BlockChunk, executeBlock, genesisBatch } from '@slipstream/execution';
import { type Ledger, openLedger } from '@slipstream/ledger';
import { compress, decompress } from '@slipstream/network/compression';
import {
  type CommittedBlock,
  createPipeline,
  type Pipeline,
  type PipelineMode,
  treeOfStore,
} from '@slipstream/pipeline';
import { silentTelemetry } from '@slipstream/ports';
import { openStateStore } from '@slipstream/state';
import {
  type Block,
  type BlockId,
  type ChunkId,
  chunkBodyCodec,
  decodeTransaction,
  type Genesis,
  hexOf,
  signedChunkCodec,
  unitsOf,
} from '@slipstream/types';
import { genesisEpochs } from '../../../packages/dissemination/test/harness/genesis-epochs.ts';
import { genesisMember } from '../../../packages/types/test/genesis-member.ts';
import type { SimulatedChain } from '../../../test/simulation/harness/committee.ts';
import type { Host, Hosted } from '../geo/member.ts';
import type { Latencies } from './latencies.ts';
import { type ExecuteMs, GENESIS, transactionBytes, type WorkloadName } from './workloads.ts';

export interface MemberPlan {
  readonly mode: PipelineMode;
  readonly workload: WorkloadName;
  readonly executeMs: ExecuteMs;
  /** Verifier thread, for one Ed25519 signature. */
  readonly accountCheckMs: number;
  /** Of the client beside this member; 0: neither client nor full node. */
  readonly transactionsPerSecond: number;
  readonly latencies: Latencies;
  /** By id, decoded once for all members; each waits for its own bytes. */
  readonly decoded: Map<string, BlockChunk>;
}

/** One way, between a full node and its validator. A client is at its full node. */
export const LINK_MS = 1;
const HASH_KEY = new Uint8Array(8);

function genesisOf({ members }: SimulatedChain['committee']): Genesis {
  return { ...GENESIS, members: members.map((member) => genesisMember(member.index, member)) };
}

export async function openMember(host: Host, plan: MemberPlan): Promise<Hosted> {
  const { world, chain } = host;
  const genesis = genesisOf(chain.committee);
  const dissemination = openDissemination(host, plan, genesis);
  const chunks = createChunks(dissemination, plan, world.lifetime);
  const validator = await openNode(host, plan, genesis, 'validator', chunks);
  const fullNode =
    plan.transactionsPerSecond === 0 ? undefined : await openNode(host, plan, genesis, 'full-node', chunks);
  const events = follow(host, plan, validator.pipeline, fullNode?.pipeline);
  validator.pipeline.onCommitted((committed) => {
    const { blockId, block, receipts, skipped, executeMs } = committed;
    plan.latencies.committedAtValidator(host.self, committed);
    dissemination.committed(blockId, block, {
      executedIds: receipts.map(({ transactionId }) => hexOf(transactionId)),
      skipped,
      executeMs,
    });
    host.connected()?.consensus.committed(block, dissemination.logFloor() ?? Number.POSITIVE_INFINITY);
  });
  fullNode?.pipeline.onCommitted((committed) => {
    plan.latencies.committedAtFullNode(host.self, committed, world.clock.monotonicMs());
  });
  dissemination.restored();
  startClient(host, plan, dissemination);
  return {
    application: {
      buildPayload: (request) => dissemination.buildPayload(request),
      checkPayload: (blockId, block, signal) => dissemination.checkPayload(blockId, block, signal),
      ...events,
      hasPending: () => dissemination.hasPending(),
    },
    archive: archiveOf(validator.ledger, validator.files, dissemination),
    onDisseminationFrame(from, name, frame) {
      if (name === 'transactions') void dissemination.onTransactions(from, frame);
      else if (name === 'chunk') void dissemination.onChunk(from, frame);
      else if (name === 'chunkAck') dissemination.onChunkAck(from, frame);
      else void dissemination.onChunkCertified(from, frame);
    },
  };
}

function openDissemination(host: Host, plan: MemberPlan, genesis: Genesis): Dissemination {
  const { world, chain, self, transport, clock, signer, verifier, wal, signState } = host;
  const consensus = () => host.connected()?.consensus;
  const sync = () => host.connected()?.sync;
  const dissemination = createDissemination(
    {
      wal,
      transport,
      clock,
      epochs: genesisEpochs(genesis, self),
      signerOf: () => signer,
      telemetry: silentTelemetry,
      verifier: {
        ...verifier,
        async checkAccounts(batch) {
          await host.check(plan.accountCheckMs * batch.length);
          return batch.map(() => true);
        },
      },
      rules: { unitsOf: (transaction, bytes) => unitsOf(transaction, bytes), feeOf: () => 0n },
      reports: {
        offence: (peer, reason, detail) => consensus()?.offence(peer, reason, detail),
        equivocation() {},
        stored: (producer, frame) => sync()?.relayChunk(producer, frame),
        attested: ({ transactionIds }) => plan.latencies.attested(self, transactionIds, world.clock.monotonicMs()),
        failed: (cause) => world.exit(String(cause)),
        pendingChanged: () => consensus()?.pendingChanged(),
      },
      fetchChunk: createHedgedFetch({
        transport,
        clock,
        random: world.random,
        ask: async (peer, id, signal) => (await sync()?.ask(peer, { query: 'chunk', id }, signal))?.chunks[0],
      }),
      compression: { compress, decompress },
      reserveSequence: (chunkSequence) => signState.reserve({ chunkSequence, logSequence: wal.durableSequence }),
    },
    {
      genesis,
      genesisHash: chain.genesisHash,
      firstSequence: signState.chunkMark + 1,
      hashKey: HASH_KEY,
    },
  );
  world.lifetime.onEnd(() => dissemination.stop());
  return dissemination;
}

interface Chunks {
  /** When the validator has them, with verdicts. */
  of(blockId: BlockId, block: Block): Promise<readonly BlockChunk[]>;
  bytesOf(block: Block): readonly { readonly chunkId: ChunkId; readonly bytes: Uint8Array }[];
}

function createChunks(
  dissemination: Dissemination,
  { decoded }: MemberPlan,
  lifetime: Host['world']['lifetime'],
): Chunks {
  const asked = new Map<string, Promise<readonly BlockChunk[]>>();
  const bytesById = new Map<string, Uint8Array>();
  const abort = new AbortController();
  lifetime.onEnd(() => abort.abort());

  async function ask(blockId: BlockId, block: Block): Promise<readonly BlockChunk[]> {
    const payload = await dissemination.payloadOf(blockId, block, abort.signal);
    return payload.map(({ epoch, producer, bytes }, at) => {
      const id = hexOf((block.payload[at] as Block['payload'][number]).chunkId);
      bytesById.set(id, bytes);
      const known = decoded.get(id) ?? { epoch, producer, transactions: transactionsIn(bytes) };
      decoded.set(id, known);
      return known;
    });
  }

  return {
    of(blockId, block) {
      const id = hexOf(blockId);
      const made = asked.get(id) ?? ask(blockId, block);
      asked.set(id, made);
      return made;
    },
    bytesOf: ({ payload }) =>
      payload.flatMap(({ chunkId }) => {
        const bytes = bytesById.get(hexOf(chunkId));
        return bytes === undefined ? [] : [{ chunkId, bytes }];
      }),
  };
}

function transactionsIn(bytes: Uint8Array): BlockChunk['transactions'] {
  const chunk = signedChunkCodec.decode(bytes);
  const body = chunk.ok ? chunkBodyCodec.decode(chunk.value.body) : undefined;
  if (!body?.ok) throw new Error('a chunk of honest members is sound');
  return body.value.transactions.map((transaction) => ({ ...decodeTransaction(transaction), signatureValid: true }));
}

interface Node {
  readonly pipeline: Pipeline;
  readonly ledger: Ledger;
  readonly files: ChunkFiles;
}

async function openNode(
  { world, chain: { genesisHash, genesisId } }: Host,
  { mode, executeMs }: MemberPlan,
  genesis: Genesis,
  name: 'validator' | 'full-node',
  chunks: Chunks,
): Promise<Node> {
  const { clock, disk, random } = world;
  const telemetry = silentTelemetry;
  const { store: state } = await openStateStore(
    { disk, telemetry },
    {
      directory: `${name}-state`,
      genesisHash,
      genesisBlock: hexOf(genesisId),
      genesisBatch: genesisBatch(genesis, (secret) => secret),
      parameters: genesis.state,
      hashKey: HASH_KEY,
    },
  );
  const bodies = { disk, random: random.fork(`${name} block files`), directory: `${name}-block-files` };
  const ledger = await openLedger({ keyValue: world.keyValue(name), files: bodies, telemetry }, { genesisHash });
  const files = await openChunkFiles(
    { disk, index: world.keyValue(`${name}-chunks`), random: random.fork(`${name} chunk files`), telemetry },
    { directory: `${name}-chunk-files`, genesisHash },
  );
  const pipeline = await createPipeline(
    {
      state,
      tree: await treeOfStore(state, { secret: world.random.bytes(32), pause: async () => {} }),
      ledger,
      clock,
      telemetry,
      chunksOf: (blockId, block) => chunks.of(blockId, block),
      keepChunks: (block) => files.put(block.height, chunks.bytesOf(block)),
      async executeBlock(block) {
        const count = block.chunks.reduce((sum, { transactions }) => sum + [...transactions].length, 0);
        await new Promise<void>((resolve) => void clock.after(executeMs(count), resolve));
        return executeBlock(block);
      },
    },
    { genesis, genesisHash, mode, hashKey: HASH_KEY },
  );
  pipeline.onHalted((halt) => world.exit(`${name}: the pipeline halted: ${halt.type}`));
  pipeline.start();
  return { pipeline, ledger, files };
}

/** Consensus' events, to the validator at once and to the full node across the link. */
function follow(
  { world }: Host,
  { mode }: MemberPlan,
  validator: Pipeline,
  fullNode: Pipeline | undefined,
): Pick<Application, 'execute' | 'notarized' | 'finalized' | 'certified'> {
  const later = (action: () => void) => void world.clock.after(LINK_MS, action);

  function notify(news: (pipeline: Pipeline) => void): void {
    news(validator);
    if (fullNode && mode === 'parallel') later(() => news(fullNode));
  }

  if (fullNode && mode === 'sequential') {
    validator.onCommitted(({ blockId, block, certificate, finalization }: CommittedBlock) => {
      later(() => {
        const proof = finalization ?? certificate;
        if (proof) fullNode.finalized(blockId, block, proof);
        if (certificate) fullNode.certified(certificate);
      });
    });
  }
  return {
    execute(blockId, block) {
      if (fullNode && mode === 'parallel') later(() => void fullNode.execute(blockId, block));
      return validator.execute(blockId, block);
    },
    notarized: (blockId) => notify((pipeline) => pipeline.notarized(blockId)),
    finalized: (blockId, block, certificate) => notify((pipeline) => pipeline.finalized(blockId, block, certificate)),
    certified: (certificate) => notify((pipeline) => pipeline.certified(certificate)),
  };
}

function archiveOf(ledger: Ledger, files: ChunkFiles, dissemination: Dissemination): NonNullable<Hosted['archive']> {
  return {
    blockById: async (id) => (await ledger.block({ id }))?.block,
    finalizedRange: (from, to, limit) => ledger.finalizedRange(from, Math.min(to, from + limit - 1)),
    chunkById: async (id) => (await dissemination.chunkById(id)) ?? (await files.get(id)),
  };
}

/** An open loop. Refused transactions are counted and not sent again. */
function startClient(host: Host, plan: MemberPlan, dissemination: Dissemination): void {
  const { world, chain, self } = host;
  const { transactionsPerSecond, workload, latencies } = plan;
  if (transactionsPerSecond === 0) return;
  const members = chain.committee.members.length;
  const everyMs = 1_000 / transactionsPerSecond;
  let sent = 0;

  function send(): void {
    if (!world.lifetime.alive) return;
    const number = sent++ * members + self;
    const nowMs = world.clock.wallMs();
    const bytes = transactionBytes({ workload, number, genesisHash: chain.genesisHash, nowMs });
    const id = hexOf(decodeTransaction(bytes).id);
    latencies.sent(self, id, world.clock.monotonicMs());
    world.clock.after(LINK_MS, () => {
      void dissemination.submit(bytes).then(({ type }) => {
        if (type !== 'accepted') latencies.refused(id);
      });
    });
    world.clock.after(everyMs, send);
  }

  world.clock.after(everyMs * world.random.unit(), send);
}
