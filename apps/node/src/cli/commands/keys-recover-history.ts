/** Lets a validator that lost its log or disk sign again, above every view in which it can have signed. */
import { resolve } from 'node:path';
import { defineCommand, flag, type Terminal, text } from '@slipstream/command-line';
import { DATA, readSecret } from '@slipstream/node-home';
import { toHex } from '@slipstream/primitives';
import { type Committee, committeeOf } from '@slipstream/types';
import { logPosition, openSignState, type SignState } from '@slipstream/wal';
import { NodeError } from '../../errors.ts';
import { clientFor } from '../node-url.ts';
import { configOf } from '../places.ts';
import { askNodes, chainText, refuseTooFew, type StandingChain, standingChain } from '../standing-chain.ts';
import { homeOption, type StoppedNode, withStoppedNode } from '../stopped-node.ts';

/**
 * A view is entered with a certificate of the one before, so the lost machine was a view or two ahead at most. Skipping a few hundred views
 * costs a minute; signing one twice costs the validator.
 */
const VIEWS_AHEAD = 512;
/** On a standing chain each skipped view is nullified on its own, and those that answered are in every quorum (H8). */
const STANDING_VIEWS_AHEAD = 64;

export const recoverHistoryCommand = defineCommand({
  name: 'keys recover-history',
  summary: 'For a validator whose log or disk is lost: signs again, above all that it can have signed.',
  details:
    'Only when the old machine is stopped for good and its history cannot be had. Asks a node of the chain that you trust, and ' +
    'that is ready, how far the chain is; nothing is signed until the chain has passed that point. When the chain stands still ' +
    'because too many validators lost their logs: name all validators that run, and say --chain-stands-still on each that lost its log.',
  options: {
    home: homeOption,
    url: text('URL,URL', "Nodes' interfaces, separated by commas. Default: SLIPSTREAM_URL, or http://127.0.0.1:8080."),
    'chain-stands-still': flag(
      'Take part in passing the views that this validator refuses, so that the chain goes on.',
    ),
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
    const urls = options.url?.split(',') ?? [];
    const recover = options['chain-stands-still'] ? recoverStanding : recoverRunning;
    return await withStoppedNode(
      options.home,
      terminal,
      async (node) => {
        terminal.out(await recover(node, { urls, terminal, json: options.json }));
        return 0;
      },
      { create: true },
    );
  },
});

interface Asked {
  readonly urls: readonly string[];
  readonly terminal: Terminal;
  readonly json: boolean;
}

/** The running chain passes the views that this validator refuses. Returns what to print. */
async function recoverRunning(node: StoppedNode, { urls, terminal, json }: Asked): Promise<string> {
  const [url, ...more] = urls;
  if (more.length > 0) throw new NodeError('usage', 'one node is asked while the chain goes on: name one with --url');
  const status = await clientFor(url, terminal).status();
  if (!status.ready || status.syncing) {
    const message =
      'the node that was asked is not ready, so the chain may be further than it knows: wait until it is, or ask another with --url. ' +
      'When the chain stands still since a third of the weight or more lost its logs: --chain-stands-still';
    throw new NodeError('request-failed', message);
  }
  refuseForeign(status.genesisHash, node);
  const { view } = status;
  const { mark } = await refuse(await stateOf(node), view + VIEWS_AHEAD, false);
  if (json) return JSON.stringify({ view, mark });
  return `done: the chain is in view ${view}; this validator signs again after view ${mark}`;
}

/** Too many refuse: this validator joins the nullifications (rule 5a). Returns what to print. */
async function recoverStanding(node: StoppedNode, { urls, terminal, json }: Asked): Promise<string> {
  const committee = committeeOf(node.genesis);
  const self = await ownIndex(node, committee, terminal);
  const state = await stateOf(node);
  if (state.mark > 0 && state.judge(await logPosition(node.disk, DATA.wal)).reason === undefined) {
    const message =
      'the write-ahead log of this validator is whole, and the others need what it signed: start it as it is. If it says that it is an ' +
      'older copy, move its data folder away first. Nothing was changed';
    throw new NodeError('usage', message);
  }
  const answers = await askNodes(urls.length === 0 ? [undefined] : urls, terminal);
  for (const { genesisHash } of answers.statuses) refuseForeign(genesisHash, node);
  const chain = standingChain(answers.statuses, committee, self);
  refuseTooFew(chain, answers, committee);
  const { mark } = await refuse(state, chain.view + STANDING_VIEWS_AHEAD, true);
  if (json) return JSON.stringify({ ...chain, mark });
  return [...chainText(chain, answers), whatNext(chain, mark)].join('\n');
}

function whatNext({ refusing }: StandingChain, mark: number): string {
  const others = refusing.length === 0 ? '' : ', and recover the others that refuse in the same way';
  return `done: up to view ${mark} this validator only joins nullifications, and it votes again above. Start it${others}: the chain goes on then`;
}

function stateOf({ disk, genesisHash }: StoppedNode): Promise<SignState> {
  return openSignState({ disk }, { path: DATA.signState, genesisHash });
}

async function refuse(state: SignState, mark: number, nullifies: boolean): Promise<SignState> {
  // No other node knows the last sequence. A producer uses tens per second, so milliseconds since 1970 are above all.
  await state.recover({ mark, chunkMark: Date.now(), nullifies });
  return state;
}

function refuseForeign(theirs: string, { genesisHash }: StoppedNode): void {
  if (theirs === `0x${toHex(genesisHash)}`) return;
  const message = `the node that was asked is of another chain (genesis ${theirs}): name one of this chain with --url`;
  throw new NodeError('key-mismatch', message, { genesisHash: theirs });
}

async function ownIndex({ home }: StoppedNode, committee: Committee, terminal: Terminal): Promise<number> {
  const config = await configOf(home, terminal);
  const { identityFromSeed } = await import('@slipstream/network'); // slow to load
  const { peer } = identityFromSeed(await readSecret(resolve(home, config['keys.peer']), 'seed of a network key'));
  const member = committee.members.find(({ peerKey }) => peerKey === peer);
  if (member === undefined) throw new NodeError('key-mismatch', `${home} is the folder of no validator of this chain`);
  return member.index;
}
