/** A validator of the simulation: the real consensus, log and sign state on simulated ports. */
import {
  type Consensus,
  type ConsensusOptions,
  createConsensus,
  LOCAL_OPTIONS,
  restoreFrom,
} from '@slipstream/consensus';
import type { Signer, Verifier } from '@slipstream/ports';
import type { NodeWorld } from '@slipstream/simulator';
import type { Evidence } from '@slipstream/types';
import { openSignState, openWal } from '@slipstream/wal';
import type { SimulatedChain } from './committee.ts';
import { createOrderingApplication, type OrderingOptions } from './ordering-application.ts';

export interface ValidatorSetting {
  readonly chain: SimulatedChain;
  /** Undefined: follows without voting. */
  readonly self: number | undefined;
  readonly signer: Signer;
  readonly verifier: Verifier;
  readonly options?: Partial<ConsensusOptions>;
  readonly application: OrderingOptions;
  readonly onEvidence?: (evidence: Evidence) => void;
}

export interface Validator {
  readonly consensus: Consensus;
}

const WAL_FOLDER = 'wal';
const SIGN_STATE_FILE = 'sign-state.json';

export async function startValidator(world: NodeWorld, setting: ValidatorSetting): Promise<Validator> {
  const { chain, self } = setting;
  const { genesisHash, committee } = chain;
  const { disk, random, telemetry } = world;
  const root = { block: chain.genesis, blockId: chain.genesisId, certificate: undefined };
  const application = await createOrderingApplication(world, root, setting.application);
  const signState = await openSignState({ disk }, { path: SIGN_STATE_FILE, genesisHash });
  const knownDurableSequence = signState.logSequence;
  const { wal, records, report } = await openWal(
    { disk, random, telemetry },
    { directory: WAL_FOLDER, genesisHash, knownDurableSequence, segmentBytesMax: 256 * 1024 },
  );
  const refusal = await signState.mayTrust({ logId: report.logId, lastSequence: report.lastSequence });
  const restored = await restoreFrom(records);
  const consensus = createConsensus(
    {
      transport: world.transport,
      clock: world.clock,
      random,
      verifier: setting.verifier,
      wal,
      signing: self === undefined ? undefined : { signer: setting.signer, signState },
      application,
      archive: application.archive,
      telemetry,
      onFrame: () => {},
      ...(setting.onEvidence ? { onEvidence: setting.onEvidence } : {}),
      onFatal: (error) => world.exit(error instanceof Error ? error.message : String(error)),
    },
    {
      genesisHash,
      committee,
      self,
      options: { ...LOCAL_OPTIONS, ...setting.options },
      root: application.root,
      refuseUpToView: refusal.viewsUpTo,
      restored,
      firstRetainedView: report.firstSequence === 1 ? 0 : application.root.block.view,
    },
  );
  application.onCommitted((block) => consensus.committed(block.view));
  void consensus.start().catch(() => {}); // onFatal has told
  return { consensus };
}
