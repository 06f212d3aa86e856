import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import { createClock, createRandom } from '@slipstream/platform';
import { type PeerKey, silentTelemetry } from '@slipstream/ports';
import { asId, type Genesis, type GenesisHash } from '@slipstream/types';
import { expect, test } from 'vitest';
import * as arrange from '../../../packages/execution/test/builders.ts';
import { openExecutorStores } from '../src/executor/stores.ts';

const genesis: Genesis = { ...arrange.genesis({ 1: 5n }) };
const watch = { clock: createClock(), onDamaged() {} };
const genesisHash = asId<GenesisHash>(new Uint8Array(32).fill(7));

async function commitBlocks(
  folder: string,
  blocks: number,
  snapshots?: { directory: string; every: number; keep: number },
) {
  const setting = { folder, genesis, genesisHash, ledgerIsChecked: false, snapshots };
  const stores = await openExecutorStores(setting, { random: createRandom(), telemetry: silentTelemetry, watch });
  const { state } = stores;
  for (let i = 0; i < blocks; i++) {
    const block = `${state.tip.batch}`;
    state.prepare(state.tip.block, block, [{ key: new Uint8Array([1]), value: new Uint8Array([i]) }]);
    await state.append(block);
    await state.commit(block);
  }
  await stores.close();
}

test('old snapshots are removed when snapshots are disabled: they held disk space of replaced files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-stores-'));
  const snapshots = { directory: DATA.snapshots, every: 2, keep: 2 };
  await commitBlocks(folder, 4, snapshots);
  expect((await readdir(join(folder, DATA.snapshots))).length).toBe(2);
  await commitBlocks(folder, 4);
  expect(await readdir(join(folder, DATA.snapshots)).catch(() => [])).toEqual([]);
  await rm(folder, { recursive: true });
});

test('a damaged ledger is rejected, and one that this process has checked is not checked again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-stores-'));
  const parts = { random: createRandom(), telemetry: silentTelemetry, watch };
  const setting = { folder, genesis, genesisHash, snapshots: undefined };
  const stores = await openExecutorStores({ ...setting, ledgerIsChecked: false }, parts);
  for (let atMs = 1; atMs <= 4; atMs++) {
    const peer = `${atMs}`.repeat(64) as PeerKey;
    await stores.ledger.putPeerBlock({ peer, reason: 'oversize', detail: 'a frame', atMs });
  }
  await stores.close();
  const log = (await readdir(join(folder, DATA.ledger))).find((name) => name.endsWith('.log')) as string;
  const path = join(folder, DATA.ledger, log);
  const bytes = await readFile(path);
  const at = bytes.indexOf('a frame');
  bytes[at] = (bytes[at] as number) ^ 1;
  await writeFile(path, bytes);
  await expect(openExecutorStores({ ...setting, ledgerIsChecked: false }, parts)).rejects.toMatchObject({
    code: 'damaged',
  });
  await (await openExecutorStores({ ...setting, ledgerIsChecked: true }, parts)).close();
  await rm(folder, { recursive: true });
});
