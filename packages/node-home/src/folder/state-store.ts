/** The state store of a data folder; a new one begins with genesis. */
import { ed25519PublicKey } from '@slipstream/crypto/native';
import { genesisBatch } from '@slipstream/execution';
import { nextTurn } from '@slipstream/platform';
import type { Disk, Random, Telemetry } from '@slipstream/ports';
import { openStateStore, type SnapshotPolicy, type StateStore, type Write } from '@slipstream/state';
import { blockIdOf, type Genesis, type GenesisHash, genesisBlock, hexOf } from '@slipstream/types';
import { DATA } from './layout.ts';

export async function openState(
  disk: Disk,
  { genesis, genesisHash }: { readonly genesis: Genesis; readonly genesisHash: GenesisHash },
  { random, telemetry }: { readonly random: Random; readonly telemetry: Telemetry },
  snapshots?: SnapshotPolicy,
): Promise<StateStore> {
  const genesisId = blockIdOf(genesisBlock(genesisHash, genesis.timestampMs));
  const { store } = await openStateStore(
    { disk, telemetry, pause: nextTurn },
    {
      directory: DATA.state,
      genesisHash,
      genesisBlock: hexOf(genesisId),
      genesisBatch: genesisEntries(genesis),
      parameters: genesis.state,
      hashKey: random.bytes(8),
      ...(snapshots ? { snapshots } : {}),
    },
  );
  return store;
}

/** Lazy, because only a new store reads the entries, and deriving the keys of a million generated accounts takes long. */
function genesisEntries(genesis: Genesis): Iterable<Write> {
  let made: Iterable<Write> | undefined;
  return {
    [Symbol.iterator]() {
      made ??= genesisBatch(genesis, ed25519PublicKey);
      return made[Symbol.iterator]();
    },
  };
}
