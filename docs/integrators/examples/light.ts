/** Follows a chain and proves a receipt, trusting the genesis file alone. Usage: node light.ts URL[,URL] ID GENESIS_FILE */
import { readFile } from 'node:fs/promises';
import { openLightClient } from '@slipstream/client/light';

const [urls = '', id = '', genesisFile = ''] = process.argv.slice(2);
const light = openLightClient({
  genesis: JSON.parse(await readFile(genesisFile, 'utf8')),
  urls: urls.split(','),
  onNode: ({ url, lastFault }) => lastFault && console.log(`${url}: ${lastFault.code}: ${lastFault.detail}`),
  onConflict: ({ culprits }) => console.log('two certified chains', culprits),
  onStalled: ({ sinceMs }) => console.log(`no newer height since ${new Date(sinceMs).toISOString()}`),
});

// What is below is proven: no node's word counts.
const head = await light.headAt();
console.log(`height ${head.height}, state ${head.stateDigest}`);
const { value, node } = await light.receipt(id);
console.log(`${value.receipt.outcome.status} at height ${value.receipt.height}, proven by ${node}`);
// Begin with it the next time: old committees may have lost their keys.
console.log(JSON.stringify(light.checkpoint()));
light.close();
