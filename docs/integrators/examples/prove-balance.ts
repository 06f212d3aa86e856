/** Proves a balance with the genesis file alone. Usage: node prove-balance.ts URL ACCOUNT GENESIS_FILE */
import { readFile } from 'node:fs/promises';
import { ClientError, createClient } from '@slipstream/client';

const [url = '', account = '', genesisFile = ''] = process.argv.slice(2);
const chain: unknown = JSON.parse(await readFile(genesisFile, 'utf8'));
const client = createClient({ url, chain });

try {
  const { balance, exists, height, shown } = await client.account(account, { proven: true });
  for (const { name, outcome, detail } of shown.steps) console.log(`${name}: ${outcome} ${detail}`);
  console.log(
    exists ? `proven: balance ${balance} at height ${height}` : `proven: no such account at height ${height}`,
  );
} catch (error) {
  if (!(error instanceof ClientError) || error.code !== 'unproven') throw error;
  // The node lies, or is damaged: ask another one.
  console.log(`refused: ${error.message}`);
  process.exitCode = 1;
}
