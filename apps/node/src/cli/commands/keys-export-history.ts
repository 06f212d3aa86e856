/** `keys export-history`: what a validator may have signed, to be carried to another machine. */
import { openSignState } from '@slipstream/wal';
import { writeText } from '../../folder/files.ts';
import { DATA } from '../../folder/layout.ts';
import { defineCommand } from '../command.ts';
import { text } from '../option.ts';
import { inFolder } from '../places.ts';
import { homeOption, withStoppedNode } from '../stopped-node.ts';

export const exportHistoryCommand = defineCommand({
  name: 'keys export-history',
  summary: 'What a validator may have signed, to carry to another machine with its keys.',
  details:
    'Stop the node first, and never start it here again with the same key: two machines that sign for one validator sign twice.',
  options: { home: homeOption, out: text('FILE', 'Where to write it. Default: standard output.') },
  example: 'slipstream keys export-history --home chain/validator-0 --out history.json',
  async run({ options, terminal }) {
    return await withStoppedNode(options.home, terminal, async ({ disk, genesisHash }) => {
      const state = await openSignState({ disk }, { path: DATA.signState, genesisHash });
      const history = state.exportHistory();
      if (options.out === undefined) {
        terminal.out(history.trimEnd());
        return 0;
      }
      const path = inFolder(terminal, options.out);
      await writeText(path, history);
      const { mark, chunkMark } = state;
      terminal.out(
        options.json
          ? JSON.stringify({ file: path, mark, chunkMark })
          : `${path}: nothing above view ${mark} was signed. Next, on the other machine: slipstream keys import-history ${options.out}`,
      );
      return 0;
    });
  },
});
