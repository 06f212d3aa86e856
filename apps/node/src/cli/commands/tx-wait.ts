import { choice, count, defineCommand } from '@slipstream/command-line';
import { WAIT_STAGES } from '@slipstream/schema';
import { clientFor, urlOption } from '../node-url.ts';
import { WAIT_SECONDS_DEFAULT, waitForStage } from '../stage-wait.ts';
import { exitCodeOf, transactionText } from '../transaction-text.ts';

export const waitCommand = defineCommand({
  name: 'tx wait',
  summary: 'Wait until a transaction reaches a stage (default: final).',
  details:
    'Also of a row of a distilled batch, which is final once its batch ran. Exits with 1 when the transaction failed, was skipped or expired, or on a timeout.',
  positionals: [{ name: 'ID', about: 'the transaction: 0x and 64 hexadecimal digits' }],
  options: {
    for: choice(WAIT_STAGES, 'final', 'What to wait for.'),
    timeout: count(WAIT_SECONDS_DEFAULT, [1, 86_400], 'SECONDS', 'How long to wait.'),
    url: urlOption,
  },
  example: 'slipstream tx wait 0x5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02 --for final',
  async run({ options, arguments: [id = ''], terminal }) {
    const view = await waitForStage(clientFor(options.url, terminal), id, options.for, options.timeout);
    terminal.out(options.json ? JSON.stringify(view) : transactionText(view));
    return exitCodeOf(view);
  },
});
