/** Verifies what a node says about a transaction, trusting the genesis file alone. Usage: node verify.ts URL ID GENESIS_FILE */
import { readFile } from 'node:fs/promises';
import { createClient, verifyProof } from '@slipstream/client';

const [url = '', id = '', genesisFile = ''] = process.argv.slice(2);
const genesis: unknown = JSON.parse(await readFile(genesisFile, 'utf8'));
const proof = await createClient({ url }).proof(id, { epochsFrom: 0 });

// With the id: a node could give a sound proof of another transaction.
const verdict = verifyProof(proof, genesis, id);
for (const { name, outcome, detail } of verdict.ok ? verdict.value.steps : verdict.error.steps) {
  console.log(`${name}: ${outcome} ${detail}`);
}
// A transaction that failed has a proof as well: what it proves is the receipt.
console.log(verdict.ok ? `verified: ${verdict.value.receipt.outcome.status}` : `refused: ${verdict.error.message}`);
if (!verdict.ok) process.exitCode = 1;
