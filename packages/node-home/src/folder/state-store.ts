/** The state store of a data folder; a new one begins with genesis. */
import { ed25519PublicKey } from '@slipstream/crypto/native';
import { type Applications, genesisEntries } from '@slipstream/execution';
import { nextTurn } from '@slipstream/platform';
import type { Disk, Random, Telemetry } from '@slipstream/ports';
import { openStateStore, type SnapshotPolicy, type StateStore } from '@slipstream/state';
import { blockIdOf, type Genesis, type GenesisHash, genesisBlock, hexOf } from '@slipstream/types';
import { DATA } from './layout.ts';

interface Parts {
  readonly snapshots?: SnapshotPolicy | undefined;
  /** Of genesis: a new store begins with their entries. */
  readonly applications?: Applications | undefined;
}

export async function openState(
  disk: Disk,
  { genesis, genesisHash }: { readonly genesis: Genesis; readonly genesisHash: GenesisHash },
  { random, telemetry }: { readonly random: Random; readonly telemetry: Telemetry },
  { snapshots, applications }: Parts = {},
): Promise<StateStore> {
  const genesisId = blockIdOf(genesisBlock(genesisHash, genesis.timestampMs));
  const { store } = await openStateStore(
    { disk, telemetry, pause: nextTurn },
    {
      directory: DATA.state,
      genesisHash,
      genesisBlock: hexOf(genesisId),
      // Only a new store reads the entries.
      genesisBatch: genesisEntries(genesis, ed25519PublicKey, applications),
      parameters: genesis.state,
      hashKey: random.bytes(8),
      ...(snapshots ? { snapshots } : {}),
    },
  );
  return store;
}
