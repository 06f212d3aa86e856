import { join } from 'node:path';
import { defineCommand, inFolder, text, usageError } from '@slipstream/command-line';
import { HOME, writeText } from '@slipstream/node-home';
import { to0x } from '@slipstream/primitives';
import { accountKeyText, ed25519Account, genesisHashOf, NODE_NAME, validatorIdOf } from '@slipstream/types';
import { accountOption, requiredAddressOption } from '../chain-options.ts';
import { configOf } from '../places.ts';
import { genesisOf, homeOption } from '../stopped-node.ts';
import { keyPlacesOf, signingKeysOf } from '../validator-keys.ts';

const INVOCATION = 'slipstream validator candidate';

export const validatorCandidateCommand = defineCommand({
  name: 'validator candidate',
  summary:
    'Make a node a candidate of a running chain: its keys, and the public file that a governor proposes it with.',
  details:
    'The node is a full node of the chain before. A missing BLS key is made; keys that are there are used and never written over. ' +
    `Hand ${HOME.validator} to a governor: slipstream governance propose --add ${HOME.validator}. It holds no secret.`,
  options: {
    home: homeOption,
    name: text('NAME', 'Name of the validator, for people. Default: the name in the configuration.'),
    address: requiredAddressOption('Where peers reach this validator.'),
    operator: accountOption('Account that rotates its keys and lets it leave. Default: the network key as an account.'),
    'fee-account': accountOption('Account that earns its fees. Default: the operator.'),
  },
  example: 'slipstream validator candidate --home new-node --address new-node.example.org:9000',
  async run({ options, terminal }) {
    const home = inFolder(terminal, options.home ?? '.');
    const config = await configOf(home, terminal);
    const genesis = await genesisOf(home, terminal);
    const name = options.name ?? config.name;
    const { address, operator, 'fee-account': feeAccount } = options;
    if (!NODE_NAME.match.test(name)) throw usageError(INVOCATION, [`--name must be ${NODE_NAME.is}, not "${name}"`]);
    const { makeMissingKeys } = await import('@slipstream/node-home/chain');
    const { createRandom } = await import('@slipstream/platform');
    const { consentOf } = await import('../../validator/key-actions.ts');
    const { candidateText } = await import('../../validator/candidate-file.ts');
    const places = keyPlacesOf(config);
    await makeMissingKeys(createRandom(), home, places, `${genesis.chain} ${name}`);
    const keys = await signingKeysOf(home, places);
    const { blsPublicKey, peerKey } = keys;
    const owner = operator ?? ed25519Account(Buffer.from(peerKey, 'hex'));
    const genesisHash = genesisHashOf(genesis);
    const file = join(home, HOME.validator);
    const candidate = {
      name,
      blsPublicKey,
      peerKey,
      address,
      operator: owner,
      feeAccount: feeAccount ?? owner,
      consent: consentOf(genesisHash, keys, owner),
    };
    await writeText(file, candidateText(genesisHash, candidate));
    const validator = to0x(validatorIdOf(blsPublicKey));
    const lines = [
      `${name}, candidate for chain ${genesis.chain}: validator ${validator}`,
      `  operator ${accountKeyText(owner)}`,
      '',
      'Hand this file to a governor. It holds no secret:',
      `  ${file}`,
      ...(config['keys.bls'] === '' ? ['', `Set keys.bls to ${places.keystore} in ${join(home, HOME.config)}.`] : []),
    ];
    terminal.out(
      options.json ? JSON.stringify({ file, validator, operator: accountKeyText(owner) }) : lines.join('\n'),
    );
    return 0;
  },
});
