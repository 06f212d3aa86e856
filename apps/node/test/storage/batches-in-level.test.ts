/** Distilled batches over a restart, in LevelDB itself. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@slipstream/ledger';
import { openKeyValue } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { concatBytes, sha256, utf8 } from '@slipstream/primitives';
import { expect, test } from 'vitest';
import { chainOf, commitAll, GENESIS_HASH, transactionId } from '../../../../packages/ledger/test/builders.ts';

const batchId = (at: number) => sha256(utf8(`batch ${at}`));
const record = (at: number) => concatBytes(batchId(at), utf8('leaf and outcomes'));

const openAt = async (location: string) =>
  openLedger({ keyValue: await openKeyValue({ location }), telemetry: silentTelemetry }, { genesisHash: GENESIS_HASH });

test('what ran before a restart is known after it, and found by its rows', async () => {
  const location = await mkdtemp(join(tmpdir(), 'slipstream-batches-'));
  const chain = chainOf(40).map((link, at) => ({ ...link, batches: at % 2 === 1 ? [record(at)] : [] }));
  const first = await openAt(location);
  await commitAll(first, chain);
  await first.close();
  const again = await openAt(location);
  const recent = await again.recentBlocks(0);
  expect(recent.slice(39).map(({ executedIds }) => executedIds)).toEqual([
    [transactionId('transaction of 39'), batchId(39)],
    [transactionId('transaction of 40')],
  ]);
  for (const at of [1, 17, 39]) {
    const rowId = concatBytes(batchId(at).subarray(0, 28), new Uint8Array([0, 0, 0, 9]));
    expect(await again.batchOfRow(rowId)).toMatchObject({ height: at, index: 0, records: [record(at)] });
  }
  await again.close();
  await rm(location, { recursive: true });
});
