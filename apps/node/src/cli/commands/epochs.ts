import type { Client } from '@slipstream/client';
import { count, defineCommand, flag, usageError } from '@slipstream/command-line';
import { counted } from '@slipstream/primitives';
import type { EpochRecordJson, Epochs, Listed } from '@slipstream/schema';
import { NodeError } from '../../errors.ts';
import { dateText, recordText } from '../epoch-texts.ts';
import { malformedLine } from '../malformed-items.ts';
import { clientFor, urlOption } from '../node-url.ts';

const INVOCATION = 'slipstream epochs';
const EPOCH = /^(current|0|[1-9][0-9]{0,8})$/;
const ASK_AGAIN_MS = 500;

export const epochsCommand = defineCommand({
  name: 'epochs',
  summary: 'Show the current epoch and those before, or the committee and parameters of one.',
  positionals: [{ name: 'EPOCH', about: 'number of an epoch, or current. Default: a list.', optional: true }],
  options: {
    wait: count(0, [0, 86_400], 'SECONDS', 'Wait until this epoch has begun, at most so long.'),
    parameters: flag('Print its fees and times alone: the file of governance propose --parameters.'),
    url: urlOption,
  },
  example: 'slipstream epochs current --url http://127.0.0.1:8080',
  async run({ options, arguments: [epoch], terminal }) {
    const client = clientFor(options.url, terminal);
    if (epoch === undefined) {
      if (options.parameters || options.wait > 0)
        throw usageError(INVOCATION, ['--parameters and --wait need an EPOCH']);
      const epochs = await client.epochs();
      terminal.out(options.json ? JSON.stringify(epochs) : listText(epochs));
      return 0;
    }
    if (!EPOCH.test(epoch)) throw usageError(INVOCATION, ['EPOCH must be a number or current']);
    if (epoch !== 'current' && options.wait > 0) await untilBegun(client, Number(epoch), options.wait);
    const record = await client.epoch(epoch === 'current' ? 'current' : Number(epoch));
    if (options.parameters) terminal.out(parametersText(record));
    else terminal.out(options.json ? JSON.stringify(record) : recordText(record));
    return 0;
  },
});

async function untilBegun(client: Client, epoch: number, seconds: number): Promise<void> {
  const deadline = performance.now() + seconds * 1_000;
  for (;;) {
    const { current } = await client.epochs({ limit: 1 });
    if (current.epoch >= epoch) return;
    if (performance.now() >= deadline) {
      const state = current.sealed === null ? 'the next record is not sealed' : 'the next record is sealed';
      const message = `epoch ${epoch} has not begun within ${seconds} s: the chain is in epoch ${current.epoch}, ${state}`;
      throw new NodeError('request-failed', message, { url: client.url });
    }
    await new Promise((again) => setTimeout(again, ASK_AGAIN_MS));
  }
}

function parametersText({ parameters: { fees, times, leaderReputation } }: EpochRecordJson): string {
  return JSON.stringify({ fees, times, leaderReputation }, null, 2);
}

function listText({ current, items, height, malformed }: Listed<Epochs>): string {
  const { epoch, firstHeight, sealed, sealsFrom } = current;
  const next =
    sealed === null
      ? `not sealed; a block from height ${sealsFrom} on may seal the next record`
      : `sealed: epoch ${epoch + 1} follows, record ${sealed}`;
  const lines = items.map(({ epoch: number, members, totalWeight, version, endedMs }) => {
    const weight = totalWeight === null ? '' : `, weight ${totalWeight}`;
    const state = number > epoch ? 'sealed' : number === epoch ? 'current' : `ended ${dateText(endedMs ?? 0)}`;
    return `  epoch ${number}: ${state}, ${counted(members, 'validator')}${weight}, version ${version}`;
  });
  const head = `epoch ${epoch} since height ${firstHeight}, now ${height}; ${next}`;
  return [head, ...lines, ...malformed.map(malformedLine)].join('\n');
}
