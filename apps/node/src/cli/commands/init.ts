import { join } from 'node:path';
import { count, counts, defineCommand, flag, inFolder, portFaults, text, textOr } from '@slipstream/command-line';
import { HOME, nodeNames } from '@slipstream/node-home';
import type { InitializedChain } from '@slipstream/node-home/chain';
import { counted, to0x } from '@slipstream/primitives';
import { COMMITTEE_WEIGHT_MAX, genesisHashOf } from '@slipstream/types';
import { chainNameFaults, inTheWay, readTerms, termOptions } from '../chain-terms.ts';

const PORT_RANGE = [1, 65_000] as const;
const HOST = /^[^\s{}/]+$/;
const ADDRESSES = /^[^\s{}:]*\{i\}[^\s{}:]*:[0-9]{1,5}$/;

export const initCommand = defineCommand({
  name: 'init',
  summary: 'Create a chain: a genesis file, and a folder with keys and configuration for each node.',
  details:
    'Hand each operator the folder of one validator. The genesis file is public; everything under keys/ is secret. ' +
    'Where each is to make its own keys: slipstream genesis candidate.',
  options: {
    validators: count(4, [1, 1024], 'N', 'Validators.'),
    fullnodes: count(0, [0, 1000], 'N', 'Nodes that follow and serve, and cast no votes.'),
    ...termOptions,
    development: flag('A development chain: a funded account in genesis, and a faucet.'),
    weights: counts('W,W,...', [1, COMMITTEE_WEIGHT_MAX], 'Voting weight of each validator. Default: 1 each.'),
    host: textOr('127.0.0.1', 'HOST', 'Where peers reach the nodes.'),
    addresses: text(
      'HOST:PORT',
      'Where peers reach node i, on a machine of its own, with {i} for i: validator-{i}:9000. Default: from --host.',
    ),
    'network-port': count(9000, PORT_RANGE, 'PORT', 'Node i listens to peers on PORT + i.'),
    'api-port': count(8080, PORT_RANGE, 'PORT', 'Node i serves its interface on PORT + i.'),
    'api-host': textOr('127.0.0.1', 'HOST', 'Where the nodes serve their interface.'),
  },
  example: 'slipstream init --validators 4 --fullnodes 1 --out chain --development',
  async run({ options, terminal, progress }) {
    const { validators, weights, chain, addresses } = options;
    const out = inFolder(terminal, options.out);
    const faults = [
      ...(weights && weights.length !== validators
        ? [`--weights names ${counted(weights.length, 'weight')} for ${counted(validators, 'validator')}`]
        : []),
      ...chainNameFaults(chain),
      ...(addresses === undefined || ADDRESSES.test(addresses)
        ? []
        : [`--addresses must be a host with {i} in it, and a port, not "${addresses}"`]),
      ...(['host', 'api-host'] as const).flatMap((name) =>
        HOST.test(options[name]) ? [] : [`--${name} must be a name or an address, not "${options[name]}"`],
      ),
      ...portFaults(
        { 'network-port': options['network-port'], 'api-port': options['api-port'] },
        validators + options.fullnodes,
        addresses !== undefined,
      ),
      ...inTheWay(out, nodeNames(validators, options.fullnodes)),
    ];
    const terms = await readTerms(options, terminal, { invocation: 'slipstream init', faults });
    const { initChain } = await import('@slipstream/node-home/chain');
    const { createRandom } = await import('@slipstream/platform');
    const order = {
      ...terms,
      out,
      validators,
      fullNodes: options.fullnodes,
      ...(weights && { weights }),
      development: options.development,
      host: options.host,
      ...(addresses !== undefined && {
        addressOf: (index: number) => addresses.replace('{i}', String(index)),
        ownPort: Number(addresses.split(':').at(-1)),
      }),
      networkPort: options['network-port'],
      apiPort: options['api-port'],
      apiHost: options['api-host'],
    };
    const made = await initChain(createRandom(), order, progress);
    terminal.out(options.json ? JSON.stringify(jsonOf(out, made)) : textOf(out, made));
    return 0;
  },
});

function jsonOf(out: string, { genesis, nodes }: InitializedChain) {
  const genesisFile = join(out, HOME.genesis);
  return { chain: genesis.chain, genesisHash: to0x(genesisHashOf(genesis)), genesis: genesisFile, nodes };
}

function textOf(out: string, { genesis, nodes }: InitializedChain): string {
  return [
    `chain ${genesis.chain} in ${out}, genesis ${to0x(genesisHashOf(genesis))}`,
    ...nodes.map(
      ({ name, networkPort, apiPort }) => `  ${name}: peers on port ${networkPort}, interface on ${apiPort}`,
    ),
    '',
    'Next, for each node:',
    `  slipstream node --home ${nodes[0]?.home ?? out}`,
  ].join('\n');
}
