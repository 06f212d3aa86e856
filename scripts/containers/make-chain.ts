/**
 * Makes the chain of the containers once; later runs change nothing.
 *
 *   unfinished/ --init--> genesis, validator-0.., full-node-0 --copy--> the full node's volume --rename--> chain/
 *
 * An interrupted run leaves no `chain`, so the next run starts again; no node has used the keys yet.
 */
import { existsSync } from 'node:fs';
import { cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@slipstream/command-line';
import { HOME, readGenesis } from '@slipstream/node-home';
import { runCommandLine } from '../../apps/node/src/cli/run.ts';
import { CHAIN_FOLDER, FULL_NODE_HOME, UNFINISHED_CHAIN_FOLDER } from './volumes.ts';

const START_AGAIN = '"docker compose down -v" deletes the chain with its keys; "up" then makes another';

await runProgram(async (_, terminal) => {
  const wanted = terminal.environment.SLIPSTREAM_VALIDATORS ?? '4';
  if (existsSync(CHAIN_FOLDER)) {
    const { members } = await readGenesis(join(CHAIN_FOLDER, HOME.genesis));
    if (String(members.length) === wanted) {
      terminal.out(`the chain is there, with ${members.length} validators`);
      return 0;
    }
    terminal.err(
      `slipstream: SLIPSTREAM_VALIDATORS is ${wanted}, but this chain was made with ${members.length} validators. ` +
        `Set it to ${members.length}; or: ${START_AGAIN}.`,
    );
    return 1;
  }
  if (existsSync(join(FULL_NODE_HOME, HOME.data))) {
    terminal.err(`slipstream: the full node's volume holds data of another chain. ${START_AGAIN}.`);
    return 1;
  }
  await rm(UNFINISHED_CHAIN_FOLDER, { recursive: true, force: true });
  for (const name of await readdir(FULL_NODE_HOME)) await rm(join(FULL_NODE_HOME, name), { recursive: true });
  const options = ['--validators', wanted, '--fullnodes', '1', '--development', '--out', UNFINISHED_CHAIN_FOLDER];
  const code = await runCommandLine(['init', ...options, '--json'], terminal);
  if (code !== 0) return code;
  const fullNode = join(UNFINISHED_CHAIN_FOLDER, 'full-node-0');
  await cp(fullNode, FULL_NODE_HOME, { recursive: true });
  await rm(fullNode, { recursive: true });
  await rename(UNFINISHED_CHAIN_FOLDER, CHAIN_FOLDER);
  return 0;
});
