/**
 * Runs a node of the chain in its container: `member.ts validator` or `member.ts full-node`, then flags of `slipstream node`.
 *
 * Container N of the service `validator` runs validator N - 1, and is reached by its container's name. The name server
 * follows containers that come back at another address, so names are all that a configuration needs.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../apps/node/src/cli/program.ts';
import { runCommandLine } from '../../apps/node/src/cli/run.ts';
import { readGenesis } from '../../apps/node/src/folder/files.ts';
import { HOME } from '../../apps/node/src/folder/layout.ts';
import { containerNameOf, ownContainerName } from './container-name.ts';
import { FULL_NODE_HOME, validatorHome } from './volumes.ts';

const VALIDATOR = 'validator';
/** As SLIPSTREAM_NETWORK_LISTEN in docker-compose.yml says. */
const NETWORK_PORT = 9000;

await runProgram(async ([service = VALIDATOR, ...flags], terminal) => {
  const own = await ownContainerName(service);
  const index = service === VALIDATOR ? own.number - 1 : undefined;
  const home = index === undefined ? FULL_NODE_HOME : validatorHome(index);
  if (!existsSync(home)) {
    terminal.err(
      `slipstream: there is no ${home}. This chain has fewer validators than the service has containers: ` +
        'set SLIPSTREAM_VALIDATORS and leave --scale alone.',
    );
    return 1;
  }
  const { members } = await readGenesis(join(home, HOME.genesis));
  const peers = members
    .map(({ peerKey }, of) => `${peerKey}@${containerNameOf(VALIDATOR, own, of + 1)}:${NETWORK_PORT}`)
    .filter((_, of) => of !== index);
  return await runCommandLine(['node', '--home', home, '--network.peers', peers.join(','), ...flags], terminal);
});
