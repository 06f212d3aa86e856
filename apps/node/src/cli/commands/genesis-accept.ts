import { count, defineCommand, flag, inFolder, text, textOr, usageError } from '@slipstream/command-line';
import { CHAIN_FILE, CONFIG_KEYS } from '@slipstream/node-home';
import { agreementJson, agreementText } from '../genesis-text.ts';
import { homeOption } from '../stopped-node.ts';

const INVOCATION = 'slipstream genesis accept';
const HASH = /^0x[0-9a-fA-F]{64}$/;

export const genesisAcceptCommand = defineCommand({
  name: 'genesis accept',
  summary: "Install a genesis file in a node's folder, after verifying all proofs and this node's own entry.",
  details:
    'Refused: a member without proofs, a validator that handed in no candidacy, and anything else of this node than its own ' +
    `candidacy says. Then the folder has its configuration. Compare the hash with the other operators, with --look, before anybody starts.`,
  positionals: [{ name: 'FILE', about: `${CHAIN_FILE}, created by genesis create` }],
  options: {
    home: homeOption,
    hash: text('HASH', 'The genesis hash that was agreed: any other is refused.'),
    look: flag('Only look: write nothing.'),
    'network-listen': text('HOST:PORT', 'Where to listen to peers. Default: 0.0.0.0, with the port of its address.'),
    'api-host': textOr('127.0.0.1', 'HOST', 'Where the node serves its interface.'),
    'api-port': count(8080, [1, 65_535], 'PORT', 'Port of its interface.'),
  },
  example: 'slipstream genesis accept chain.json --home alice',
  async run({ options, arguments: [given = ''], terminal, progress }) {
    const { hash, 'network-listen': listen } = options;
    const faults = [
      ...(hash === undefined || HASH.test(hash) ? [] : [`--hash must be 0x and 64 hexadecimal digits, not "${hash}"`]),
      ...listenFaults(listen),
      ...(/^[^\s{}/]+$/.test(options['api-host']) ? [] : ['--api-host must be a name or an address']),
    ];
    if (faults.length > 0) throw usageError(INVOCATION, faults);
    const home = inFolder(terminal, options.home ?? '.');
    const { acceptGenesis, inspectGenesis } = await import('@slipstream/node-home/chain');
    const order = {
      home,
      file: inFolder(terminal, given),
      hash,
      listen,
      apiHost: options['api-host'],
      apiPort: options['api-port'],
    };
    const taken = options.look ? undefined : await acceptGenesis(order, progress);
    const agreement = taken ?? (await inspectGenesis(order, progress));
    const [said, next] =
      taken === undefined
        ? ['this node is in it as its candidacy says; nothing was written', `${INVOCATION} ${given} --home ${home}`]
        : [`in ${home}, listening on ${taken.listen}`, `slipstream node --home ${home}`];
    const seen = { ...agreementJson(agreement), name: agreement.own.name, home, accepted: taken !== undefined };
    const lines = [agreementText(agreement), '', `${agreement.own.name}: ${said}`, 'Next:', `  ${next}`];
    terminal.out(options.json ? JSON.stringify(seen) : lines.join('\n'));
    return 0;
  },
});

function listenFaults(listen: string | undefined): readonly string[] {
  if (listen === undefined) return [];
  try {
    CONFIG_KEYS['network.listen'].parse(listen);
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [`--network-listen ${error.message}`];
  }
}
