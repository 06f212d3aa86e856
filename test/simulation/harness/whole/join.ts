import { type LedgerReader, openLedger } from '@slipstream/ledger';
import { decompress } from '@slipstream/network/compression';
import { type PeerKey, silentTelemetry, type Transport } from '@slipstream/ports';
import type { NodeWorld } from '@slipstream/simulator';
import {
  createDistanceWatch,
  type DataFolder,
  type DistanceWatch,
  finishInstall,
  isStranded,
  mayBeFar,
  newestLinkedRecord,
  type OwnTip,
  openSources,
  type Sources,
  type StagedState,
  sourcesOfRunningNode,
  stageIfFar,
} from '@slipstream/sync/state-sync';
import { type Committee, committeeOfRecord, type EpochRecord, recordOfGenesis } from '@slipstream/types';
import type { ConnectedConsensus } from '../../../../apps/node/src/assembly/connect-consensus.ts';
import type { ValidatorSetting } from '../validator.ts';
import { withNetworkKey } from './epochs.ts';
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
  const { own, record } = await ownData(folder, chain);
  if (!mayBeFar(own, world.clock.wallMs(), DISTANCE)) return undefined;
  const { transport } = withNetworkKey(world, setting, record);
  const sources = () => openSources(transport, committeeOfRecord(record), world);
  const components = componentsOf(world, setting, folder, sources);
  const joining = await stageIfFar(components, joinSetting({ ...world, transport }, setting, record), own);
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
  ledger: LedgerReader,
  heads: { committedHeight(): number; committee(): Committee },
  replace: (staged: StagedState) => void,
): Pick<DistanceWatch, 'stop'> {
  const { clock, telemetry, transport } = world;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sources = (committee: Committee) =>
    sourcesOfRunningNode({ transport, ask: sync.ask, clock, telemetry, signal }, committee);

  async function join(height: number) {
    const record = await recordIn(ledger, setting.chain);
    const components = componentsOf(world, setting, folder, async () => sources(committeeOfRecord(record)));
    return stageIfFar({ ...components, signal }, joinSetting(world, setting, record), { height });
  }

  const watch = createDistanceWatch(
    {
      clock,
      telemetry,
      heights: () => ({ own: heads.committedHeight(), reported: consensus.status().highestReportedHeight }),
      join,
      isStranded: (own) => isStranded(sources(heads.committee()), own),
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

function joinSetting(
  { peer, transport }: NodeWorld,
  { chain, self: memberIndex, keys }: ValidatorSetting,
  record: EpochRecord,
) {
  const { genesisHash } = chain;
  const isOwn = (of: PeerKey) => keys.some(({ peerKey }) => peerKey === of);
  const others = record.members.map(({ peerKey }) => peerKey).filter((of) => !isOwn(of));
  return {
    genesisHash,
    record,
    self: peer,
    parameters: genesisOf(chain).state,
    distance: DISTANCE,
    named: memberIndex === undefined ? oneOf(others, transport) : others,
  };
}

/** A full node names one validator: one that it can reach, if any. */
function oneOf(others: readonly PeerKey[], transport: Pick<Transport, 'peers'>): readonly PeerKey[] {
  const open = new Set(transport.peers().flatMap(({ peer, connected }) => (connected ? [peer] : [])));
  return [others.find((peer) => open.has(peer)) ?? others[0]].flatMap((peer) => peer ?? []);
}

/** Of the newest epoch that the own handovers lead to. */
async function recordIn(ledger: LedgerReader, chain: ValidatorSetting['chain']): Promise<EpochRecord> {
  return (await newestLinkedRecord(ledger)) ?? recordOfGenesis(genesisOf(chain));
}

async function ownData(
  { exists, paths, openLedgerStore }: DataFolder,
  chain: ValidatorSetting['chain'],
): Promise<{ readonly own: OwnTip; readonly record: EpochRecord }> {
  const none = { height: 0, timestampMs: chain.genesis.timestampMs };
  if (!(await exists(paths.ledger))) return { own: none, record: recordOfGenesis(genesisOf(chain)) };
  const keyValue = await openLedgerStore(paths.ledger);
  const ledger = await openLedger({ keyValue, telemetry: silentTelemetry }, { genesisHash: chain.genesisHash });
  const own = (await ledger.tip()) ?? none;
  const record = await recordIn(ledger, chain);
  await ledger.close();
  return { own, record };
}
