import { defineCommand, flag, inFolder, text } from '@slipstream/command-line';
import { DATA, writeText } from '@slipstream/node-home';
import { openSignState } from '@slipstream/wal';
import { homeOption, withStoppedNode } from '../stopped-node.ts';

export const exportHistoryCommand = defineCommand({
  name: 'keys export-history',
  summary: 'Export the signing history of a validator, to move it to another machine with its keys.',
  details:
    'Stop the node first. This folder signs nothing afterwards, so that two machines never sign for one validator; ' +
    'keys import-history reverts this.',
  options: {
    home: homeOption,
    out: text('FILE', 'Where to write it. Default: standard output.'),
    keep: flag('Keep signing in this folder; the exported file is outdated as soon as the node runs again.'),
  },
  example: 'slipstream keys export-history --home chain/validator-0 --out history.json',
  async run({ options, terminal }) {
    return await withStoppedNode(options.home, terminal, async ({ disk, genesisHash }) => {
      const state = await openSignState({ disk }, { path: DATA.signState, genesisHash });
      const history = options.keep ? state.exportHistory() : await state.handOver();
      if (options.out === undefined) {
        terminal.out(history.trimEnd());
        return 0;
      }
      const path = inFolder(terminal, options.out);
      await writeText(path, history);
      const { mark, chunkMark } = state;
      const next = options.keep
        ? 'This folder goes on signing'
        : `Nothing is signed here any more. Next, on the other machine: slipstream keys import-history ${options.out}`;
      terminal.out(
        options.json
          ? JSON.stringify({ file: path, mark, chunkMark, handedOver: !options.keep })
          : `${path}: nothing above view ${mark} was signed. ${next}`,
      );
      return 0;
    });
  },
});
