/** The state of a stopped node's newest block, and what certifies it, from copies of its stores. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { openState } from '@slipstream/node-home/state';
import { createDisk, createRandom, openKeyValue } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { type BlockId, type Genesis, genesisHashOf, idFromHex } from '@slipstream/types';
import { encodeEntries, encodeHead, type SnapshotHead } from './snapshot-wire.ts';

export interface ServedSnapshot {
  readonly head: SnapshotHead;
  readonly entries: Uint8Array;
}

/** `folder`: the data folder. */
export async function readSnapshot(folder: string, genesis: Genesis): Promise<ServedSnapshot> {
  const copy = await mkdtemp(join(tmpdir(), 'slipstream-snapshot-'));
  try {
    for (const name of [DATA.state, DATA.ledger, DATA.blockFiles]) {
      await cp(join(folder, name), join(copy, name), { recursive: true });
    }
    return await readStores(copy, genesis);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function readStores(folder: string, genesis: Genesis): Promise<ServedSnapshot> {
  const genesisHash = genesisHashOf(genesis);
  const disk = createDisk({ root: folder });
  const random = createRandom();
  const telemetry = silentTelemetry;
  const state = await openState(disk, { genesis, genesisHash }, { random, telemetry });
  try {
    const keyValue = await openKeyValue({ location: join(folder, DATA.ledger) });
    const files = { disk, random, directory: DATA.blockFiles };
    const ledger = await openLedger({ keyValue, files, telemetry }, { genesisHash });
    try {
      const found = await ledger.block({ id: idFromHex<BlockId>(state.tip.block) });
      const certified = found && (await ledger.certifiedState(found.block.height));
      if (found === undefined || certified === undefined)
        throw new Error(`the ledger certifies no state of block ${state.tip.block}`);
      return { head: encodeHead(found.block, certified), entries: encodeEntries(state.packedEntries()) };
    } finally {
      await ledger.close();
    }
  } finally {
    await state.close();
  }
}
