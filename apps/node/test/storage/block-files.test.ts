/** Bodies above and below what the store itself takes, in real files and LevelDB, over a restart. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBodyReader, createLedgerReader, openLedger } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { createDisk, createRandom, openKeyValue } from '@slipstream/platform';
import { silentTelemetry as telemetry } from '@slipstream/ports';
import { expect, test } from 'vitest';
import {
  account,
  childOf,
  commitAll,
  GENESIS_HASH,
  genesisLink,
  type Link,
  transactionId,
} from '../../../../packages/ledger/test/builders.ts';

const BLOCKS = 20;
const LARGE = 400;

async function openAt(root: string) {
  const keyValue = await openKeyValue({ location: join(root, DATA.ledger), shared: true });
  const disk = createDisk({ root });
  const files = { disk, random: createRandom(), directory: DATA.blockFiles };
  const ledger = await openLedger({ keyValue, files, telemetry }, { genesisHash: GENESIS_HASH });
  const reader = createLedgerReader(keyValue, createBodyReader({ disk, keyValue, telemetry }, DATA.blockFiles));
  return { ledger, reader };
}

test('large and small bodies are read by writer and reader, before a restart and after it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'slipstream-block-files-'));
  const chain: Link[] = [genesisLink()];
  for (let at = 1; at <= BLOCKS; at++) {
    const transactions = Array.from({ length: at % 3 === 0 ? LARGE : at % 3 }, (_, i) => `${at}/${i}`);
    chain.push(childOf(chain[at - 1] as Link, { transactions }));
  }
  const first = await openAt(root);
  await commitAll(first.ledger, chain.slice(0, 15));
  expect(await first.reader.receipts(12)).toEqual(chain[12]?.receipts);
  await first.ledger.close();
  expect(await readdir(join(root, DATA.blockFiles))).toHaveLength(1);
  const { ledger, reader } = await openAt(root);
  await commitAll(ledger, chain.slice(15));
  for (const each of [ledger, reader]) {
    for (const { block, receipts } of chain) expect(await each.receipts(block.height)).toEqual(receipts);
    expect(await each.transaction(transactionId(`9/${LARGE - 1}`))).toMatchObject({ height: 9, index: LARGE - 1 });
    const { entries } = await each.accountTransactions(account('18/7'), { limit: 5 });
    expect(entries.map(({ height, index }) => [height, index])).toEqual([[18, 7]]);
  }
  await ledger.close();
  await rm(root, { recursive: true });
});
