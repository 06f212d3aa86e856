/** The ledger after a bit flip in the store's files. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@slipstream/ledger';
import { openKeyValue } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { expect, test } from 'vitest';
import { chainOf, commitAll, GENESIS_HASH } from '../../../packages/ledger/test/builders.ts';

async function openAt(location: string) {
  const keyValue = await openKeyValue({ location });
  return openLedger({ keyValue, telemetry: silentTelemetry }, { genesisHash: GENESIS_HASH }).catch(async (error) => {
    await keyValue.close();
    throw error;
  });
}

test('a flipped bit in LevelDB’s log, which LevelDB skips without an error, is reported at each opening', async () => {
  const location = await mkdtemp(join(tmpdir(), 'slipstream-ledger-'));
  const ledger = await openAt(location);
  await commitAll(ledger, chainOf(100));
  await ledger.close();
  const log = (await readdir(location)).find((name) => name.endsWith('.log'));
  const path = join(location, log as string);
  const bytes = await readFile(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] as number) ^ 1;
  await writeFile(path, bytes);
  const corrupt = { code: 'corrupt', message: expect.stringMatching(/^ledger: a committed block that is missing/) };
  await expect(openAt(location)).rejects.toMatchObject(corrupt);
  // LevelDB has rewritten the rest, without a trace of damage.
  await expect(openAt(location)).rejects.toMatchObject(corrupt);
  await rm(location, { recursive: true });
});
