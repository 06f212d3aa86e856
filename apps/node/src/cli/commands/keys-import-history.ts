/** Imports a signing history, so that this machine never signs what the other may have signed. */

import { defineCommand, inFolder } from '@slipstream/command-line';
import { DATA, readText } from '@slipstream/node-home';
import { toHex } from '@slipstream/primitives';
import { openSignState, parseHistory, type SignState, WalError } from '@slipstream/wal';
import { homeOption, type StoppedNode, withStoppedNode } from '../stopped-node.ts';

export const importHistoryCommand = defineCommand({
  name: 'keys import-history',
  summary: 'Import the signing history of another machine, so that this one never signs below it.',
  details: 'Stop the node first. A damaged sign state is set aside and rebuilt from the history.',
  positionals: [{ name: 'FILE', about: 'what "slipstream keys export-history" wrote' }],
  options: { home: homeOption },
  example: 'slipstream keys import-history history.json --home chain/validator-0',
  async run({ options, arguments: [file = ''], terminal }) {
    const history = await readText(inFolder(terminal, file), 'signing history');
    return await withStoppedNode(
      options.home,
      terminal,
      async (node) => {
        const state = await openOrReplace(node, history);
        await state.importHistory(history);
        const { mark, chunkMark } = state;
        terminal.out(
          options.json
            ? JSON.stringify({ mark, chunkMark })
            : `done: this validator signs nothing at or below view ${mark}. Make sure that the other machine stays stopped.`,
        );
        return 0;
      },
      { create: true },
    );
  },
});

/** A damaged file is moved aside only for a valid history of this chain. */
async function openOrReplace({ disk, genesisHash }: StoppedNode, history: string): Promise<SignState> {
  const open = () => openSignState({ disk }, { path: DATA.signState, genesisHash });
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof WalError) || error.code !== 'sign-state-damaged') throw error;
    parseHistory(history, toHex(genesisHash));
    await disk.rename(DATA.signState, `${DATA.signState}.damaged`);
    return await open();
  }
}
