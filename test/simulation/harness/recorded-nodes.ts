import { type Application, type Consensus, LOCAL_OPTIONS, restoreFrom } from '@slipstream/consensus';
import { createRecorder, type Recorder } from '@slipstream/flight-recorder';
import { sha256, utf8 } from '@slipstream/primitives';
import {
  createSimNetwork,
  createSimNode,
  createSimulation,
  type NodeWorld,
  type SimNode,
  type Simulation,
  uniformLatency,
} from '@slipstream/simulator';
import { asId, type ChunkId, GENESIS_EPOCH, type StateDigest } from '@slipstream/types';
import { openSignState, openWal } from '@slipstream/wal';
import { connectConsensus } from '../../../apps/node/src/assembly/connect-consensus.ts';
import { createChain } from './committee.ts';
import { EMPTY_ARCHIVE } from './empty-archive.ts';
import { createScheme } from './signature-scheme.ts';

const MEMBERS = 4;
/** No recording may contain it. */
export const SECRET = sha256(utf8('a key that signs'));

export interface Running {
  readonly consensus: Consensus;
  readonly recorder: Recorder;
}

export interface World {
  readonly simulation: Simulation;
  readonly nodes: readonly SimNode<Running>[];
  recordings(member: number): readonly Uint8Array[];
}

/** Four recording members; random references, so that blocks differ. */
export function createWorld(seed: string, { bytesMax = 64 * 1024 * 1024, lossRate = 0.02 } = {}): World {
  const simulation = createSimulation({ seed });
  const network = createSimNetwork(simulation, { latency: uniformLatency(1, 8), lossRate });
  const scheme = createScheme(seed, MEMBERS, false);
  const chain = createChain(seed, [1, 1, 1, 1], scheme.publicKeys);
  const { genesisHash, committee, genesis, genesisId } = chain;

  async function start(world: NodeWorld, self: number): Promise<Running> {
    const { disk, random, telemetry, clock } = world;
    const signState = await openSignState({ disk }, { path: 'sign-state.json', genesisHash });
    const opened = await openWal({ clock, disk, random, telemetry }, { directory: 'wal', genesisHash });
    await signState.mayTrust(opened.report);
    const recorder = createRecorder({ disk, clock, telemetry }, { directory: 'recordings', bytesMax });
    const application: Application = {
      buildPayload: async () => [{ chunkId: asId<ChunkId>(random.bytes(32)), certificate: undefined }],
      checkPayload: async () => ({ type: 'valid' }),
      execute: async (blockId) => asId<StateDigest>(sha256(blockId)),
      finalized() {},
      certified() {},
      hasPending: () => true,
    };
    const signer = { ...scheme.signer(self), secret: SECRET };
    const connected = connectConsensus(
      {
        transport: world.transport,
        clock,
        random,
        verifier: scheme.verifier,
        wal: opened.wal,
        signing: { signerFor: () => signer, signState },
        application,
        archive: EMPTY_ARCHIVE,
        telemetry,
        recorder,
        onDisseminationFrame: () => {},
        onFatal: (error) => world.exit(String(error)),
      },
      {
        genesisHash,
        record: chain.record,
        selfIn: () => self,
        options: { ...LOCAL_OPTIONS, minBlockIntervalMs: 20, retentionViews: 8 },
        root: { block: genesis, blockId: genesisId, certificate: undefined },
        refuseUpToView: 0,
        nullifyUpToView: 0,
        restored: await restoreFrom(opened.records, GENESIS_EPOCH),
        firstRetainedView: 0,
      },
    );
    void connected.start();
    return { consensus: connected.consensus, recorder };
  }

  const nodes = committee.members.map(({ peerKey }, self) =>
    createSimNode<Running>(simulation, { peer: peerKey, network, factory: (world) => start(world, self) }),
  );
  return {
    simulation,
    nodes,
    recordings: (member) =>
      (nodes[member]?.disk.paths() ?? [])
        .filter((path) => path.startsWith('recordings/'))
        .sort()
        .map((path) => nodes[member]?.disk.contents(path) as Uint8Array),
  };
}

export async function play(world: World, forMs: number): Promise<void> {
  for (const node of world.nodes) if (!node.alive) node.start();
  await world.simulation.run({ untilMs: world.simulation.nowMs + forMs });
}
