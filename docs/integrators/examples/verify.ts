/** Verifies what a node says about a transaction, trusting the genesis file alone. Usage: node verify.ts URL ID GENESIS_FILE */
import { readFile } from 'node:fs/promises';
import { createClient, verifyProof } from '@slipstream/client';

const [url = '', id = '', genesisFile = ''] = process.argv.slice(2);
const genesis: unknown = JSON.parse(await readFile(genesisFile, 'utf8'));
const proof = await createClient({ url }).proof(id);

const verdict = verifyProof(proof, genesis);
for (const { name, outcome, detail } of verdict.ok ? verdict.value.steps : verdict.error.steps) {
  console.log(`${name}: ${outcome} ${detail}`);
}
console.log(verdict.ok ? 'verified' : `refused: ${verdict.error.message}`);
if (!verdict.ok) process.exitCode = 1;
