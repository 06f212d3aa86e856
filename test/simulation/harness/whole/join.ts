import { openLedger } from '@slipstream/ledger';
import { decompress } from '@slipstream/network/compression';
import { silentTelemetry } from '@slipstream/ports';
import type { NodeWorld } from '@slipstream/simulator';
import {
  type DataFolder,
  type DistanceWatch,
  finishInstall,
  isStranded,
  mayBeFar,
  type OwnTip,
  openSources,
  type Sources,
  type StagedState,
  sourcesOfRunningNode,
  stageIfFar,
  watchDistance,
} from '@slipstream/sync/state-sync';
import { recordOfGenesis } from '@slipstream/types';
import type { ConnectedConsensus } from '../../../../apps/node/src/assembly/connect-consensus.ts';
import type { ValidatorSetting } from '../validator.ts';
import { genesisOf } from './stores.ts';

/** Heights behind the chain from which on a starting node takes over a state. */
export const DISTANCE = 12;

/** As the node does before its parts open (assembly/state-sync.ts). Returns the height of a state that was taken over. */
export async function joinIfFar(
  world: NodeWorld,
  setting: ValidatorSetting,
  folder: DataFolder,
): Promise<number | undefined> {
  const { chain } = setting;
  await finishInstall(folder);
  const own = await ownTip(folder, chain);
  if (!mayBeFar(own, world.clock.wallMs(), DISTANCE)) return undefined;
  const sources = () => openSources(world.transport, chain.committee, world);
  const joining = await stageIfFar(componentsOf(world, setting, folder, sources), joinSetting(world, setting), own);
  if (typeof joining === 'string') return undefined;
  await joining.install();
  return joining.height;
}

/** Beside the running node (assembly/watch-behind.ts). */
export function watchBehind(
  world: NodeWorld,
  setting: ValidatorSetting,
  folder: DataFolder,
  { consensus, sync }: ConnectedConsensus,
  committedHeight: () => number,
  replace: (staged: StagedState) => void,
): Pick<DistanceWatch, 'stop'> {
  const { clock, telemetry, transport } = world;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sources = () =>
    sourcesOfRunningNode({ transport, ask: sync.ask, clock, telemetry, signal }, setting.chain.committee);
  const components = { ...componentsOf(world, setting, folder, async () => sources()), signal };
  const watch = watchDistance(
    {
      clock,
      telemetry,
      heights: () => ({ own: committedHeight(), reported: consensus.status().highestReportedHeight }),
      join: (own) => stageIfFar(components, joinSetting(world, setting), { height: own }),
      isStranded: (own) => isStranded(sources(), own),
      replace,
    },
    DISTANCE,
  );
  return {
    stop() {
      stopping.abort();
      return watch.stop();
    },
  };
}

function componentsOf(
  { clock, random, telemetry }: NodeWorld,
  { verifier }: ValidatorSetting,
  folder: DataFolder,
  sources: () => Promise<Sources>,
) {
  return { folder, clock, random, telemetry, verifier, compression: { decompress }, openSources: sources };
}

function joinSetting({ peer }: NodeWorld, { chain, self: memberIndex }: ValidatorSetting) {
  const { genesisHash, committee } = chain;
  return {
    genesisHash,
    record: recordOfGenesis(genesisOf(chain)),
    self: peer,
    parameters: genesisOf(chain).state,
    distance: DISTANCE,
    // A full node names one validator.
    peersNamed: memberIndex === undefined ? 1 : committee.members.length - 1,
  };
}

async function ownTip(
  { exists, paths, openLedgerStore }: DataFolder,
  { genesis, genesisHash }: ValidatorSetting['chain'],
): Promise<OwnTip> {
  const none = { height: 0, timestampMs: genesis.timestampMs };
  if (!(await exists(paths.ledger))) return none;
  const keyValue = await openLedgerStore(paths.ledger);
  const ledger = await openLedger({ keyValue, telemetry: silentTelemetry }, { genesisHash });
  const tip = await ledger.tip();
  await ledger.close();
  return tip ?? none;
}
