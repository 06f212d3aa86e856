import { openLedger } from '@slipstream/ledger';
import { decompress } from '@slipstream/network/compression';
import { silentTelemetry } from '@slipstream/ports';
import type { NodeWorld } from '@slipstream/simulator';
import {
  type DataFolder,
  finishInstall,
  mayBeFar,
  type OwnTip,
  openSources,
  stageIfFar,
} from '@slipstream/sync/state-sync';
import type { ValidatorSetting } from '../validator.ts';
import { genesisOf } from './stores.ts';

/** Heights behind the chain from which on a starting node takes over a state. */
export const DISTANCE = 12;

/** As the node does before its parts open (assembly/state-sync.ts). Returns the height of a state that was taken over. */
export async function joinIfFar(
  world: NodeWorld,
  { chain, verifier, self: memberIndex }: ValidatorSetting,
  folder: DataFolder,
): Promise<number | undefined> {
  const { clock, random, telemetry, peer: self, transport } = world;
  const { genesisHash, committee } = chain;
  await finishInstall(folder);
  const own = await ownTip(folder, chain);
  if (!mayBeFar(own, clock.wallMs(), DISTANCE)) return undefined;
  const joining = await stageIfFar(
    {
      folder,
      clock,
      random,
      telemetry,
      verifier,
      compression: { decompress },
      openSources: () => openSources(transport, committee, world),
    },
    {
      genesisHash,
      committee,
      self,
      parameters: genesisOf(chain).state,
      distance: DISTANCE,
      // A full node names one validator.
      peersNamed: memberIndex === undefined ? 1 : committee.members.length - 1,
    },
    own,
  );
  if (typeof joining === 'string') return undefined;
  await joining.install();
  return joining.height;
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
