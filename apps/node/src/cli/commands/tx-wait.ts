/** `tx wait`: returns when a transaction is as far as asked, or has ended otherwise. */
import { type TransactionView, WAIT_STAGES, type WaitStage } from '@slipstream/schema';
import { NodeError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { choice, count } from '../option.ts';
import { exitCodeOf, transactionText } from '../transaction-text.ts';

/** One request waits this long at most; then it is asked again. */
const ASK_MS_MAX = 10_000;

export const waitCommand = defineCommand({
  name: 'tx wait',
  summary: 'Waits until a transaction is final, or as far as asked.',
  details: 'Exits with 1 when it failed or expired, or when the time is over.',
  positionals: [{ name: 'ID', about: 'the transaction: 0x and 64 hexadecimal digits' }],
  options: {
    for: choice(WAIT_STAGES, 'final', 'What to wait for.'),
    timeout: count(90, [1, 86_400], 'SECONDS', 'How long to wait.'),
    url: urlOption,
  },
  example: 'slipstream tx wait 0x5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02 --for final',
  async run({ options, arguments: [id = ''], terminal }) {
    const client = clientFor(options.url, terminal);
    const deadline = performance.now() + options.timeout * 1_000;
    for (;;) {
      const leftMs = Math.round(deadline - performance.now());
      if (leftMs <= 0) {
        throw new NodeError(
          'request-failed',
          `${id} is not ${options.for} after ${options.timeout} s. Ask again: tx show`,
        );
      }
      const view = await client.transaction(id, { wait: options.for, timeoutMs: Math.min(leftMs, ASK_MS_MAX) });
      if (!isReached(view, options.for)) continue;
      terminal.out(options.json ? JSON.stringify(view) : transactionText(view));
      return exitCodeOf(view);
    }
  },
});

/** An end of any kind is as far as it will ever be. */
function isReached({ status }: TransactionView, stage: WaitStage): boolean {
  const stages: readonly string[] = WAIT_STAGES;
  const at = stages.indexOf(status);
  return status === 'failed' || status === 'expired' || at >= WAIT_STAGES.indexOf(stage);
}
