import type { ProvenAccount } from '@slipstream/client';
import { defineCommand, text } from '@slipstream/command-line';
import type { AccountView } from '@slipstream/schema';
import { clientFor, urlOption } from '../node-url.ts';
import { committeesOfFile } from '../trusted-genesis.ts';

export const accountShowCommand = defineCommand({
  name: 'account show',
  summary: 'Show an account: balance and index in the directory.',
  details:
    'With --genesis the node has to prove its answer, and the proof is verified, with handovers from the node up to the epoch of its ' +
    'certificate. A proof shows the account at a height, not that nothing came after.',
  positionals: [{ name: 'ACCOUNT', about: 'the account: 0x01... or 0x02...' }],
  options: {
    genesis: text('FILE', "The chain's genesis file, not from this node. Without it nothing is verified."),
    url: urlOption,
  },
  example: 'slipstream account show 0x01... --genesis chain/genesis.json',
  async run({ options, arguments: [account = ''], terminal }) {
    const chain = options.genesis === undefined ? undefined : await committeesOfFile(options.genesis, terminal);
    const client = clientFor(options.url, terminal, { chain });
    const view = chain === undefined ? await client.account(account) : await client.account(account, { proven: true });
    terminal.out(options.json ? JSON.stringify(jsonOf(view)) : linesOf(view).join('\n'));
    return 0;
  },
});

function jsonOf(view: AccountView | ProvenAccount) {
  const { account, balance, exists, index, last, height } = view;
  return { verified: 'shown' in view, account, balance, exists, index, last, height };
}

function linesOf(view: AccountView | ProvenAccount): readonly string[] {
  const { account, balance, exists, index, last, height } = view;
  const place = index === undefined ? 'none' : `${index}, highest sequence of a row ${last}`;
  const certified = 'shown' in view;
  return [
    `account ${account}${exists ? '' : ': the chain does not know it'}`,
    `  balance  ${balance}`,
    `  index    ${place}`,
    certified
      ? `VERIFIED with the genesis file: certified at height ${height}`
      : `NOT VERIFIED, at height ${height}: name the genesis file with --genesis`,
  ];
}
