import { defineCommand } from '@slipstream/command-line';
import { clientFor, urlOption } from '../node-url.ts';
import { transactionText } from '../transaction-text.ts';

export const showTransactionCommand = defineCommand({
  name: 'tx show',
  summary: "Show a transaction, or a row of a distilled batch; with --json, a transaction's receipt and proof.",
  positionals: [{ name: 'ID', about: 'the transaction or row: 0x and 64 hexadecimal digits' }],
  options: { url: urlOption },
  example: 'slipstream tx show 0x5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02',
  async run({ options, arguments: [id = ''], terminal }) {
    const view = await clientFor(options.url, terminal).transaction(id);
    terminal.out(options.json ? JSON.stringify(view) : transactionText(view));
    return 0;
  },
});
