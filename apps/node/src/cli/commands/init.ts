/** `init`: makes a chain: a genesis file, and a folder for each node. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { to0x } from '@slipstream/primitives';
import { genesisHashOf } from '@slipstream/types';
import type { InitializedChain } from '../../folder/init.ts';
import { HOME, nodeNames, ROOT } from '../../folder/layout.ts';
import { defineCommand } from '../command.ts';
import { choice, count, counts, flag, text, textOr } from '../option.ts';
import { inFolder } from '../places.ts';
import type { Terminal } from '../terminal.ts';
import { usageError } from '../usage-error.ts';

const PORT_RANGE = [1, 65_000] as const;
const PORT_MAX = 65_535;
const HOST = /^[^\s{}/]+$/;
const ADDRESSES = /^[^\s{}:]*\{i\}[^\s{}:]*:[0-9]{1,5}$/;
const CHAIN_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

export const initCommand = defineCommand({
  name: 'init',
  summary: 'Makes a chain: a genesis file, and a folder with keys and configuration for each node.',
  details:
    'Hand each operator the folder of one validator. The genesis file is public; everything under keys/ is secret.',
  options: {
    validators: count(4, [1, 1024], 'N', 'Validators.'),
    'full-nodes': count(0, [0, 1000], 'N', 'Nodes that follow and serve, and cast no votes.'),
    out: textOr('chain', 'DIR', 'Folder to make; it must not hold a chain yet.'),
    chain: textOr('slipstream', 'NAME', 'Name of the chain: lower-case letters, digits, hyphens.'),
    development: flag('A development chain: a funded account in genesis, and a faucet.'),
    weights: counts('W,W,...', [1, 65_535], 'Voting weight of each validator. Default: 1 each.'),
    host: textOr('127.0.0.1', 'HOST', 'Where peers reach the nodes.'),
    addresses: text(
      'HOST:PORT',
      'Where peers reach node i, on a machine of its own, with {i} for i: validator-{i}:9000. Default: from --host.',
    ),
    'network-port': count(9000, PORT_RANGE, 'PORT', 'Node i listens to peers on PORT + i.'),
    'api-port': count(8080, PORT_RANGE, 'PORT', 'Node i serves its interface on PORT + i.'),
    'api-host': textOr('127.0.0.1', 'HOST', 'Where the nodes serve their interface.'),
    preset: choice(['local', 'wan'], 'local', 'Times of the protocol.'),
    fees: choice(['free', 'metered'], 'free', 'Prices of execution.'),
    trust: text('GENESIS,...', 'Genesis files of chains whose sessions this one accepts: their root keys are trusted.'),
    allocations: text(
      'FILE',
      'What accounts own from the start: a line each, 0x01... and an amount. Default: nothing.',
    ),
    'generated-accounts': count(
      0,
      [0, 10_000_000],
      'N',
      'Funded test accounts whose keys follow from a seed in genesis.',
    ),
  },
  example: 'slipstream init --validators 4 --full-nodes 1 --out chain --development',
  async run({ options, terminal, progress }) {
    const { validators, weights, chain, addresses } = options;
    const out = inFolder(terminal, options.out);
    const faults = [
      ...(weights && weights.length !== validators
        ? [`--weights names ${weights.length} weights for ${validators} validators`]
        : []),
      ...(CHAIN_NAME.test(chain) ? [] : [`--chain must be lower-case letters, digits and hyphens, not "${chain}"`]),
      ...(addresses === undefined || ADDRESSES.test(addresses)
        ? []
        : [`--addresses must be a host with {i} in it, and a port, not "${addresses}"`]),
      ...(['host', 'api-host'] as const).flatMap((name) =>
        HOST.test(options[name]) ? [] : [`--${name} must be a name or an address, not "${options[name]}"`],
      ),
      ...portFaults(options, validators + options['full-nodes']),
      ...inTheWay(out, nodeNames(validators, options['full-nodes'])),
    ];
    const owned = await allocationsOf(options.allocations, terminal);
    faults.push(...owned.faults);
    if (faults.length > 0) throw usageError('slipstream init', faults);
    const { initChain } = await import('../../folder/init.ts');
    const { createRandom } = await import('../../world/index.ts');
    const order = {
      out,
      chain,
      validators,
      fullNodes: options['full-nodes'],
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
      preset: options.preset,
      fees: options.fees,
      generatedAccounts: options['generated-accounts'],
      allocations: owned.allocations,
      trustedIssuers: await rootKeysOf(options.trust, terminal),
      timestampMs: Date.now(),
    };
    const made = await initChain(createRandom(), order, progress);
    terminal.out(options.json ? JSON.stringify(jsonOf(out, made)) : textOf(out, made));
    return 0;
  },
});

interface Ports {
  readonly 'network-port': number;
  readonly 'api-port': number;
  readonly addresses: string | undefined;
}

/** Node i takes two ports. With addresses of their own, nodes are on machines of their own. */
function portFaults({ 'network-port': network, 'api-port': api, addresses }: Ports, nodes: number): readonly string[] {
  const beyond = (name: string, first: number) =>
    first + nodes - 1 > PORT_MAX
      ? [`--${name} ${first}: the last of ${nodes} nodes would need port ${first + nodes - 1}`]
      : [];
  const apart = addresses === undefined ? nodes : 1;
  const faults = [...beyond('network-port', network), ...beyond('api-port', api)];
  if (Math.abs(network - api) >= apart) return faults;
  return [...faults, `--network-port ${network} and --api-port ${api} are closer than the ${apart} that each needs`];
}

/** Keys are never written over: with a validator's, its vote is lost. */
function inTheWay(out: string, names: readonly string[]): readonly string[] {
  const there = [HOME.genesis, ROOT.keystore, ROOT.password, ...names].filter((name) => existsSync(join(out, name)));
  if (there.length === 0) return [];
  return [`${out} holds a chain already (${there.join(', ')}): choose another folder with --out, or remove it`];
}

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

async function allocationsOf(file: string | undefined, terminal: Terminal) {
  if (file === undefined) return { allocations: [], faults: [] };
  const { parseAllocations } = await import('../../folder/allocations.ts');
  const { readText } = await import('../../folder/files.ts');
  const { allocations, faults } = parseAllocations(await readText(inFolder(terminal, file), 'allocations file'));
  return { allocations, faults: faults.map((fault) => `--allocations: ${file}: ${fault}`) };
}

/** The first issuer that a chain trusts is its own root key. */
async function rootKeysOf(files: string | undefined, terminal: Terminal): Promise<readonly Uint8Array[]> {
  const { readGenesis } = await import('../../folder/files.ts');
  const keys = (files?.split(',') ?? []).map(async (file) => {
    const { trustedIssuers } = await readGenesis(inFolder(terminal, file));
    const [rootKey] = trustedIssuers;
    if (rootKey === undefined) throw usageError('slipstream init', [`--trust: ${file} names no root key`]);
    return rootKey;
  });
  return Promise.all(keys);
}
