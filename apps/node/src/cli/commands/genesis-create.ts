import { defineCommand, inFolder } from '@slipstream/command-line';
import { CHAIN_FILE, HOME, ROOT } from '@slipstream/node-home';
import { chainNameFaults, inTheWay, readTerms, termOptions } from '../chain-terms.ts';
import { agreementJson, agreementText } from '../genesis-text.ts';

const INVOCATION = 'slipstream genesis create';

export const genesisCreateCommand = defineCommand({
  name: 'genesis create',
  summary: "Create a genesis file from a folder of candidacies; each node's keys stay with its operator.",
  details:
    `Hand ${CHAIN_FILE} to every operator (slipstream genesis accept), and tell them the hash on another way. ${HOME.genesis} is for ` +
    `clients. ${ROOT.keystore} and ${ROOT.password} are secret: keep them offline.`,
  positionals: [{ name: 'DIR', about: 'folder with one candidacy per file, and nothing else' }],
  options: termOptions,
  example: 'slipstream genesis create candidacies --chain consortium --out chain --consensus-preset wan',
  async run({ options, arguments: [candidacies = ''], terminal, progress }) {
    const out = inFolder(terminal, options.out);
    const faults = [...chainNameFaults(options.chain), ...inTheWay(out, [CHAIN_FILE])];
    const terms = await readTerms(options, terminal, { invocation: INVOCATION, faults });
    const { createChain } = await import('@slipstream/node-home/chain');
    const { createRandom } = await import('@slipstream/platform');
    const order = { ...terms, candidacies: inFolder(terminal, candidacies), out };
    const made = await createChain(createRandom(), order, progress);
    const agreement = { ...made, preset: terms.preset };
    const next = ['', 'Hand this file to every operator, and tell them the hash on another way:', `  ${made.file}`];
    terminal.out(
      options.json
        ? JSON.stringify({ file: made.file, ...agreementJson(agreement) })
        : [agreementText(agreement), ...next].join('\n'),
    );
    return 0;
  },
});
