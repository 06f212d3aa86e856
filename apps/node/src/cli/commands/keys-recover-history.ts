/** `keys recover-history`: lets a validator that lost its disk sign again, above every view in which it can have signed. */
import { toHex } from '@slipstream/primitives';
import { formatHistory, openSignState } from '@slipstream/wal';
import { NodeError } from '../../errors.ts';
import { DATA } from '../../folder/layout.ts';
import { defineCommand } from '../command.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { flag } from '../option.ts';
import { homeOption, withStoppedNode } from '../stopped-node.ts';

/**
 * A validator enters a view with a certificate of the one before, so the lost machine was at most a view or two ahead of the others.
 * Skipping a few hundred views costs a minute; signing a view twice costs the validator.
 */
const VIEWS_AHEAD = 512;

export const recoverHistoryCommand = defineCommand({
  name: 'keys recover-history',
  summary: 'For a validator whose disk is lost: signs again, above all that it can have signed.',
  details:
    'Only when the old machine is stopped for good and its history cannot be had. Asks a node of the chain that you trust, and ' +
    'that is ready, how far the chain is; nothing is signed until the chain has passed that point.',
  options: {
    home: homeOption,
    url: urlOption,
    'chain-stands-still': flag('You made sure that no node is further than the one that is asked.'),
    'old-machine-is-stopped': flag('You made sure that nothing else runs with this key.'),
  },
  example: 'slipstream keys recover-history --home validator-2 --url http://127.0.0.1:8080 --old-machine-is-stopped',
  async run({ options, terminal }) {
    if (!options['old-machine-is-stopped']) {
      const message =
        'two machines that sign with one key break what the chain rests on, and the others block this validator: make sure that ' +
        'the old one is stopped for good, then say so with --old-machine-is-stopped';
      throw new NodeError('usage', message);
    }
    const { genesisHash: theirs, view, ready, syncing } = await clientFor(options.url, terminal).status();
    if ((!ready || syncing) && !options['chain-stands-still']) {
      const message =
        'the node that was asked is not ready, so the chain may be further than it knows: wait until it is, or ask another with --url. ' +
        'When none can be ready, since a third of the weight or more is lost, ask the one that is furthest, with --chain-stands-still';
      throw new NodeError('request-failed', message);
    }
    return await withStoppedNode(
      options.home,
      terminal,
      async ({ disk, genesisHash }) => {
        const ours = toHex(genesisHash);
        if (theirs !== `0x${ours}`) {
          const message = `the node that was asked is of another chain (genesis ${theirs}): name one of this chain with --url`;
          throw new NodeError('key-mismatch', message, { genesisHash: theirs });
        }
        const state = await openSignState({ disk }, { path: DATA.signState, genesisHash });
        // No other node knows the last sequence. A producer uses tens per second, so the milliseconds since 1970 are above all of them.
        const chunkMark = Date.now();
        await state.importHistory(formatHistory({ genesisHash: ours, mark: view + VIEWS_AHEAD, chunkMark }));
        const { mark } = state;
        terminal.out(
          options.json
            ? JSON.stringify({ view, mark })
            : `done: the chain is in view ${view}; this validator signs again after view ${mark}`,
        );
        return 0;
      },
      { create: true },
    );
  },
});
