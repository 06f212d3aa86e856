/** A state store of many accounts, opened with a tree over it and without. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDisk, nextTurn } from '@slipstream/platform';
import { type Disk, silentTelemetry } from '@slipstream/ports';
import { openStateStore, type StateStore, type Write } from '@slipstream/state';
import { type Claim, claim, median, timed } from '../../../scripts/bench/claim.ts';
import { openStateTree } from '../src/index.ts';
import { accountKey, accountValue } from './accounts.ts';

export async function measureOpening(accounts: number, samples: number): Promise<Claim> {
  const root = await mkdtemp(join(tmpdir(), 'slipstream-state-tree-bench-'));
  const disk = createDisk({ root });
  try {
    await (await openStore(disk, accounts)).close();
    const ratios: number[] = [];
    for (let i = 0; i < samples; i++) ratios.push(await openOnce(disk, accounts));
    return claim('open_ratio', median(ratios), 'x', samples);
  } finally {
    await rm(root, { recursive: true });
  }
}

async function openOnce(disk: Disk, accounts: number): Promise<number> {
  let store: StateStore | undefined;
  const storeMs = await timed(async () => {
    store = await openStore(disk, accounts);
  });
  const entries = store?.packedEntries() ?? [];
  const treeMs = await timed(() =>
    openStateTree({ secret: randomBytes(32), pause: nextTurn }, { block: 'genesis', entries }),
  );
  await store?.close();
  return (storeMs + treeMs) / storeMs;
}

async function openStore(disk: Disk, accounts: number): Promise<StateStore> {
  const { store } = await openStateStore(
    { disk, telemetry: silentTelemetry, pause: nextTurn },
    {
      directory: 'state',
      genesisHash: new Uint8Array(32),
      genesisBlock: 'genesis',
      genesisBatch: allAccounts(accounts),
    },
  );
  return store;
}

function allAccounts(count: number): Iterable<Write> {
  return {
    *[Symbol.iterator]() {
      for (let account = 0; account < count; account++)
        yield { key: accountKey(account), value: accountValue({ account, round: 0 }) };
    },
  };
}
