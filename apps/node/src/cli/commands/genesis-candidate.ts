import { join } from 'node:path';
import { count, defineCommand, flag, inFolder, required, text, usageError } from '@slipstream/command-line';
import { HOME } from '@slipstream/node-home';
import {
  type AccountKey,
  COMMITTEE_WEIGHT_MAX,
  candidacyToJson,
  NODE_NAME,
  parseAccountKey,
  requireNodeAddress,
} from '@slipstream/types';
import { chainNameFaults, chainOption } from '../chain-terms.ts';
import { homeOption } from '../stopped-node.ts';

const INVOCATION = 'slipstream genesis candidate';

export const genesisCandidateCommand = defineCommand({
  name: 'genesis candidate',
  summary: 'Create the keys of one node and its candidacy: the public file from which a genesis is created.',
  details:
    `Hand ${HOME.candidacy} to the coordinator of the genesis; everything under keys/ is secret and stays. Keys that are there are ` +
    'used and never written over, so that name, address and weight can be changed by calling it again, until there is a genesis.',
  options: {
    home: homeOption,
    chain: chainOption,
    name: required('NAME', 'Name of the node, for people; each once on a chain.'),
    address: text('HOST:PORT', 'Where peers reach this validator. Required for validators; a full node has none.'),
    weight: count(1, [1, COMMITTEE_WEIGHT_MAX], 'W', 'Voting weight that this validator asks for.'),
    operator: text(
      'ACCOUNT',
      'Account that rotates its keys and lets it leave. Default: the network key as an account.',
    ),
    'fee-account': text('ACCOUNT', 'Account that earns its fees. Default: the network key as an account.'),
    'full-node': flag('A full node: it gets a place by name with the others, and no vote.'),
  },
  example: 'slipstream genesis candidate --home alice --chain consortium --name alice --address alice.example.org:9000',
  async run({ options, terminal }) {
    const home = inFolder(terminal, options.home ?? '.');
    const { chain, name, address, weight } = options;
    const faults = [
      ...chainNameFaults(chain),
      ...(NODE_NAME.match.test(name) ? [] : [`--name must be ${NODE_NAME.is}, not "${name}"`]),
      ...addressFaults(address, options['full-node']),
      ...(options['full-node'] && weight !== 1 ? ['--weight is of validators: leave it out for a full node'] : []),
    ];
    const [operator, feeAccount] = (['operator', 'fee-account'] as const).map((option) =>
      accountOf(option, options, faults),
    );
    if (faults.length > 0) throw usageError(INVOCATION, faults);
    const { makeCandidacy } = await import('@slipstream/node-home/chain');
    const { createRandom } = await import('@slipstream/platform');
    const validator = address === undefined ? undefined : { address, weight, operator, feeAccount };
    const candidacy = await makeCandidacy(createRandom(), { home, chain, name, validator });
    const file = join(home, HOME.candidacy);
    const role = validator === undefined ? 'full node' : `validator at ${validator.address}, weight ${weight}`;
    const lines = [
      `${name}, candidate for chain ${chain}: ${role}`,
      `  network key ${candidacy.peerKey}`,
      '',
      'Hand this file to the coordinator of the genesis. It holds no secret:',
      `  ${file}`,
    ];
    terminal.out(options.json ? JSON.stringify({ file, ...candidacyToJson(candidacy) }) : lines.join('\n'));
    return 0;
  },
});

function accountOf(
  option: 'operator' | 'fee-account',
  options: { readonly [name in typeof option]: string | undefined } & { readonly 'full-node': boolean },
  faults: string[],
): AccountKey | undefined {
  const given = options[option];
  if (given === undefined) return undefined;
  if (options['full-node']) faults.push(`--${option} is of validators: leave it out for a full node`);
  const parsed = parseAccountKey(given);
  if (parsed.ok) return parsed.value;
  faults.push(`--${option}: ${parsed.error}`);
  return undefined;
}

function addressFaults(address: string | undefined, isFullNode: boolean): readonly string[] {
  if (isFullNode) return address === undefined ? [] : ['--address is for validators: no peer connects to a full node'];
  if (address === undefined) return ['--address is needed, or --full-node'];
  try {
    requireNodeAddress(address);
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [`--address ${error.message}, not "${address}"`];
  }
}
