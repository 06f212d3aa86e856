import { amount, choice, defineCommand } from '@slipstream/command-line';
import { clientFor, urlOption } from '../node-url.ts';
import { waitForStage } from '../stage-wait.ts';
import { exitCodeOf, transactionText } from '../transaction-text.ts';

export const faucetCommand = defineCommand({
  name: 'tx faucet',
  summary: 'Request test funds from the faucet of a development chain.',
  positionals: [{ name: 'ACCOUNT', about: 'the recipient: 0x01 and 64 hexadecimal digits' }],
  options: {
    amount: amount(undefined, "How much. Default: the faucet's."),
    wait: choice(['no', 'attested', 'ordered', 'final'], 'final', 'What to wait for.'),
    url: urlOption,
  },
  example: 'slipstream tx faucet 0x013b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29',
  async run({ options, arguments: [account = ''], terminal }) {
    const { wait } = options;
    const client = clientFor(options.url, terminal);
    const paid = await client.faucet(account, options.amount === undefined ? {} : { amount: options.amount });
    const view = wait === 'no' ? paid : await waitForStage(client, paid.id, wait);
    terminal.out(options.json ? JSON.stringify(view) : transactionText(view));
    return exitCodeOf(view);
  },
});
