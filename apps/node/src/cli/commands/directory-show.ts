import { followEpochs, readProvenEntry } from '@slipstream/client';
import { defineCommand, text } from '@slipstream/command-line';
import { to0x } from '@slipstream/primitives';
import { directoryReference } from '../directory-reference.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { committeesOfFile } from '../trusted-genesis.ts';

const INVOCATION = 'slipstream directory show';

export const directoryShowCommand = defineCommand({
  name: 'directory show',
  summary: 'Show an entry of the directory of accounts: index, account and BLS key.',
  details:
    'With --genesis the proof is verified, with handovers from the node up to the epoch of its certificate; exits with 1 when it does not ' +
    'hold. That an account has no newer entry is not proven.',
  positionals: [{ name: 'INDEX|ACCOUNT', about: 'an index, or an account: its newest entry' }],
  options: {
    genesis: text('FILE', "The chain's genesis file, not from this node. Without it nothing is verified."),
    url: urlOption,
  },
  example: 'slipstream directory show 0 --genesis chain/genesis.json',
  async run({ options, arguments: [given = ''], terminal }) {
    const entry = directoryReference(given, 'INDEX|ACCOUNT', INVOCATION);
    const client = clientFor(options.url, terminal);
    const committees = options.genesis === undefined ? undefined : await committeesOfFile(options.genesis, terminal);
    if (committees === undefined) {
      const { index, account, blsKey } = await client.directory(entry);
      return show({ verified: false, index, account, blsKey }, 'NOT VERIFIED: name the genesis file with --genesis');
    }
    await followEpochs(client, committees);
    const { index, account, blsKey, certifiedHeight } = await readProvenEntry(client, entry, committees);
    const words = `VERIFIED with the genesis file: certified at height ${certifiedHeight}`;
    return show({ verified: true, index, account, blsKey: to0x(blsKey), certifiedHeight }, words);

    function show(view: EntryView, verdict: string) {
      const lines = [`entry ${view.index}`, `  account  ${view.account}`, `  BLS key  ${view.blsKey}`, verdict];
      terminal.out(options.json ? JSON.stringify(view) : lines.join('\n'));
      return 0 as const;
    }
  },
});

interface EntryView {
  readonly verified: boolean;
  readonly index: number;
  readonly account: string;
  readonly blsKey: string;
  readonly certifiedHeight?: number;
}
