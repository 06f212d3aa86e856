/** Pays through brokers of distilled batches. Usage: node distill.ts URL[,URL] SECRET BLS_SECRET ACCOUNT AMOUNT GENESIS_FILE */
import { readFile } from 'node:fs/promises';
import { blsKeyPairFrom, keyPairFrom } from '@slipstream/client';
import { openDistillery } from '@slipstream/client/distillery';

const [urls = '', secret = '', blsSecret = '', to = '', amount = '0', genesis = ''] = process.argv.slice(2);
const bytesOf = (hex: string) => Buffer.from(hex.replace(/^0x/, ''), 'hex');
const keys = { account: keyPairFrom(bytesOf(secret)), bls: blsKeyPairFrom(bytesOf(blsSecret)) };

// The genesis file comes from your own configuration: with it indices, outcomes and proofs are verified.
const chain = JSON.parse(await readFile(genesis, 'utf8'));
const distillery = openDistillery(urls.split(','), keys, {
  chain,
  onBroker: (event) => {
    if (event.type === 'lost')
      console.error(`${event.url} was lost (${event.reason}); the next broker gets the same row`);
  },
});
try {
  const { status, code, rowId, height, fee } = await distillery.transfer({ to, amount: BigInt(amount) });
  console.log(`${code ?? status} in block ${height}, fee ${fee}, row ${rowId}`);
} finally {
  distillery.close();
}
