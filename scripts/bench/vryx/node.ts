/**
 * A node of the `vryx` bench, on charged ports: real dissemination, consensus, pipeline, state store and ledger. Wired as apps/node does, with
 * the executor on the main thread.
 *
 *   submit --> dissemination --chunks, acks, certificates--> the others        attested
 *   block --> payload --> executor (executeMs of virtual time) --> commit      committed
 */
import { EMPTY_LOG, WAN_OPTIONS } from '@slipstream/consensus';
import {
  type AttestedChunk,
  createDissemination,
  createHedgedFetch,
  type Dissemination,
} from '@slipstream/dissemination';
import { type ExecuteBlock, type ExecutedBlock, executeBlock, genesisBatch } from '@slipstream/execution';
import { openLedger } from '@slipstream/ledger';
import { compress, decompress } from '@slipstream/network/compression';
import { type CommittedBlock, createPipeline, treeOfStore } from '@slipstream/pipeline';
import { type Disk, type Signer, silentTelemetry, type Verifier } from '@slipstream/ports';
import type { NodeWorld } from '@slipstream/simulator';
import { openStateStore, type StateStore } from '@slipstream/state';
import { spareSlowFollowers } from '@slipstream/sync';
import { type Genesis, hexOf, unitsOf } from '@slipstream/types';
import { openSignState, openWal, type SignState, type Wal } from '@slipstream/wal';
import { createApplication, suppliedPayload } from '../../../apps/node/src/assembly/application.ts';
import {
  type ConnectComponents,
  type ConnectedConsensus,
  connectConsensus,
} from '../../../apps/node/src/assembly/connect-consensus.ts';
import { takeFrame } from '../../../apps/node/src/assembly/dissemination.ts';
import { createChunkProvider } from '../../../apps/node/src/executor/chunk-provider.ts';
import { genesisEpochs } from '../../../packages/dissemination/test/harness/genesis-epochs.ts';
import type { SimulatedChain } from '../../../test/simulation/harness/committee.ts';
import { chargedPorts, type Machine, type Ports } from '../geo/charged-ports.ts';

export interface NodeSetting {
  readonly chain: SimulatedChain;
  readonly genesis: Genesis;
  /** Undefined: full node. */
  readonly self: number | undefined;
  readonly signer: Signer;
  readonly verifier: Verifier;
  readonly machine: Machine;
  /** Per transaction. */
  readonly executeMs: number;
  attested(chunk: AttestedChunk): void;
  committed(block: CommittedBlock): void;
}

const HASH_KEY = new Uint8Array(8);

/** What the parts of a node share. */
interface Parts extends Ports {
  readonly world: NodeWorld;
  readonly setting: NodeSetting;
  readonly wal: Wal;
  readonly signState: SignState;
  /** Undefined until created. */
  connected(): ConnectedConsensus | undefined;
  fail(error: unknown): void;
}

export async function startNode(world: NodeWorld, setting: NodeSetting): Promise<Pick<Dissemination, 'submit'>> {
  const { chain, signer, verifier, machine } = setting;
  const { genesisHash, committee } = chain;
  const charged = chargedPorts({ ...world, signer, verifier }, machine);
  const { clock, disk } = charged;
  const { random, telemetry } = world;
  const signState = await openSignState({ disk }, { path: 'sign-state.json', genesisHash });
  const { wal, report } = await openWal({ clock, disk, random, telemetry }, { directory: 'wal', genesisHash });
  await signState.mayTrust(report);
  let connected: ConnectedConsensus | undefined;
  const parts: Parts = {
    ...charged,
    transport: spareSlowFollowers({ transport: charged.transport, clock, telemetry }, committee),
    world,
    setting,
    wal,
    signState,
    connected: () => connected,
    fail: (error) => world.exit(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  };
  const dissemination = openDissemination(parts);
  const execution = await openExecution(parts, dissemination);
  connected = connect(parts, dissemination, execution);
  const { consensus } = connected;
  execution.onCommitted((block) => {
    consensus.committed(block, dissemination.logFloor());
    consensus.pendingChanged();
  });
  void connected.start().catch(() => {}); // reported by onFatal
  return dissemination;
}

function openDissemination(parts: Parts): Dissemination {
  const { transport, clock, verifier, signer, wal, signState, world, setting, connected, fail } = parts;
  const { self, chain, genesis } = setting;
  const { genesisHash } = chain;
  const dissemination = createDissemination(
    {
      verifier,
      epochs: genesisEpochs(genesis, self),
      signerOf: () => (self === undefined ? undefined : signer),
      wal,
      transport,
      clock,
      telemetry: world.telemetry,
      rules: { unitsOf: (transaction, bytes) => unitsOf(transaction, bytes), feeOf: () => 0n },
      reports: {
        offence: (peer, reason, detail) => fail(`${peer} is blamed: ${reason}, ${detail}`),
        equivocation: ({ offender }) => fail(`${offender} is blamed for two chunks`),
        stored: (producer, frame) => connected()?.sync.relayChunk(producer, frame),
        attested: setting.attested,
        failed: fail,
        pendingChanged: () => connected()?.consensus.pendingChanged(),
      },
      fetchChunk: createHedgedFetch({
        transport,
        clock,
        random: world.random,
        ask: async (peer, id, signal) => (await connected()?.sync.ask(peer, { query: 'chunk', id }, signal))?.chunks[0],
      }),
      compression: { compress, decompress },
      reserveSequence: (chunkSequence) => signState.reserve({ chunkSequence, logSequence: wal.durableSequence }),
    },
    // The bench reports how soon chunks are certified.
    { genesis, genesisHash, firstSequence: 1, hashKey: HASH_KEY, acks: 'always' },
  );
  dissemination.restored();
  return dissemination;
}

interface Execution extends Pick<ConnectComponents, 'application' | 'archive'> {
  onCommitted(listener: (block: CommittedBlock['block']) => void): void;
}

async function openExecution({ world, setting, ...parts }: Parts, dissemination: Dissemination): Promise<Execution> {
  const { genesis, chain } = setting;
  const { genesisHash } = chain;
  const telemetry = silentTelemetry;
  const state = await openState(parts.disk, setting);
  const files = { disk: parts.disk, random: world.random.fork('block files'), directory: 'block-files' };
  const ledger = await openLedger({ keyValue: world.keyValue('ledger'), files, telemetry }, { genesisHash });
  const provider = createChunkProvider({
    request: (blockId, block, signal) => suppliedPayload(dissemination, blockId, block, signal),
    chunks: { put: async () => {} },
  });
  const pipeline = await createPipeline(
    {
      state,
      tree: await treeOfStore(state, { secret: world.random.bytes(32), pause: async () => {} }),
      ledger,
      clock: parts.clock,
      telemetry,
      chunksOf: provider.chunksOf,
      keepChunks: provider.keep,
      executeBlock: executing(world, setting),
    },
    { genesis, genesisHash, mode: 'parallel', hashKey: HASH_KEY },
  );
  let onCommitted: Parameters<Execution['onCommitted']>[0] = () => {};
  pipeline.onHalted((halt) => world.exit(`the pipeline halted: ${halt.type}`));
  pipeline.onCommitted((done) => {
    const { blockId, block, receipts, skipped, executeMs } = done;
    const executedIds = receipts.map(({ transactionId }) => hexOf(transactionId));
    dissemination.committed(blockId, block, { executedIds, skipped, executeMs });
    onCommitted(block);
    setting.committed(done);
  });
  pipeline.start();
  return {
    application: createApplication(dissemination, pipeline),
    archive: {
      blockById: async (id) => (await ledger.block({ id }))?.block,
      finalizedRange: (from, to, limit) => ledger.finalizedRange(from, Math.min(to, from + limit - 1)),
      chunkById: dissemination.chunkById,
    },
    onCommitted(listener) {
      onCommitted = listener;
    },
  };
}

async function openState(disk: Disk, { chain, genesis }: NodeSetting): Promise<StateStore> {
  const { genesisHash, genesisId } = chain;
  const { store } = await openStateStore(
    { disk, telemetry: silentTelemetry },
    {
      directory: 'state',
      genesisHash,
      genesisBlock: hexOf(genesisId),
      genesisBatch: genesisBatch(genesis, (secret) => secret),
      parameters: genesis.state,
      hashKey: HASH_KEY,
    },
  );
  return store;
}

/** In a thread of its own: its time is charged to none of the machine's. */
function executing({ clock }: NodeWorld, { executeMs }: NodeSetting) {
  return async (block: ExecuteBlock): Promise<ExecutedBlock> => {
    const executed = executeBlock(block);
    const costMs = executeMs * executed.receipts.length;
    await new Promise<void>((resolve) => void clock.after(costMs, resolve));
    return executed;
  };
}

function connect(parts: Parts, dissemination: Dissemination, execution: Execution): ConnectedConsensus {
  const { world, setting, signer, signState, fail } = parts;
  const { chain, self } = setting;
  return connectConsensus(
    {
      ...parts,
      random: world.random,
      telemetry: world.telemetry,
      signing: self === undefined ? undefined : { signerFor: () => signer, signState },
      application: execution.application,
      archive: execution.archive,
      onDisseminationFrame: (from, name, frame) => void takeFrame(dissemination, from, name, frame).catch(fail),
      onFatal: fail,
    },
    {
      genesisHash: chain.genesisHash,
      record: chain.record,
      selfIn: () => self,
      options: WAN_OPTIONS,
      root: { block: chain.genesis, blockId: chain.genesisId, certificate: undefined },
      refuseUpToView: 0,
      nullifyUpToView: 0,
      restored: EMPTY_LOG,
      firstRetainedView: 0,
    },
  );
}
