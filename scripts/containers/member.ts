/**
 * Runs a node of the chain in its container: `member.ts validator` or `member.ts full-node`, then flags of `slipstream node`.
 *
 * Container N of the service `validator` runs validator N - 1. The configuration contains container names only, because the name server
 * follows containers whose address changes. The full node watches the validators by the same names (fleet.nodes), so their APIs allow
 * these host names.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '@slipstream/command-line';
import { FLEET_NODES_MAX, HOME, readGenesis } from '@slipstream/node-home';
import { runCommandLine } from '../../apps/node/src/cli/run.ts';
import { containerNameOf, ownContainerName } from './container-name.ts';
import { FULL_NODE_HOME, validatorHome } from './volumes.ts';

const VALIDATOR = 'validator';
/** As SLIPSTREAM_NETWORK_LISTEN and SLIPSTREAM_API_PORT in docker-compose.yml. */
const NETWORK_PORT = 9000;
const API_PORT = 8080;

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
  const hosts = members.map((_, of) => containerNameOf(VALIDATOR, own, of + 1));
  const peers = members
    .map(({ peerKey }, of) => `${peerKey}@${hosts[of]}:${NETWORK_PORT}`)
    .filter((_, of) => of !== index);
  const fleet = hosts.map((host, of) => `validator-${of}=http://${host}:${API_PORT}`).slice(0, FLEET_NODES_MAX);
  const allowed = (own: number) => [terminal.environment.SLIPSTREAM_API_ALLOW_HOSTS, hosts[own]].filter((name) => name);
  const seen = index === undefined ? ['--fleet-nodes', fleet.join()] : ['--api-allow-hosts', allowed(index).join()];
  return await runCommandLine(
    ['node', '--home', home, '--network-peers', peers.join(','), ...seen, ...flags],
    terminal,
  );
});
