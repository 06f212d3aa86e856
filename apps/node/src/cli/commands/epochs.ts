import { defineCommand, usageError } from '@slipstream/command-line';
import type { Epochs } from '@slipstream/schema';
import { dateText, recordText } from '../epoch-texts.ts';
import { clientFor, urlOption } from '../node-url.ts';

const EPOCH = /^(current|0|[1-9][0-9]{0,8})$/;

export const epochsCommand = defineCommand({
  name: 'epochs',
  summary: 'Show the current epoch and those before, or the committee of one.',
  positionals: [{ name: 'EPOCH', about: 'number of an epoch, or current. Default: a list.', optional: true }],
  options: { url: urlOption },
  example: 'slipstream epochs current --url http://127.0.0.1:8080',
  async run({ options, arguments: [epoch], terminal }) {
    const client = clientFor(options.url, terminal);
    if (epoch === undefined) {
      const { malformed: _, ...epochs } = await client.epochs();
      terminal.out(options.json ? JSON.stringify(epochs) : listText(epochs));
      return 0;
    }
    if (!EPOCH.test(epoch)) throw usageError('slipstream epochs', ['EPOCH must be a number or current']);
    const record = await client.epoch(epoch === 'current' ? 'current' : Number(epoch));
    terminal.out(options.json ? JSON.stringify(record) : recordText(record));
    return 0;
  },
});

function listText({ current, items, height }: Epochs): string {
  const { epoch, firstHeight, sealed, sealsFrom } = current;
  const next =
    sealed === null
      ? `not sealed; a block from height ${sealsFrom} on may seal the next record`
      : `sealed: epoch ${epoch + 1} follows, record ${sealed}`;
  const lines = items.map(({ epoch: number, members, totalWeight, version, endedMs }) => {
    const weight = totalWeight === null ? '' : `, weight ${totalWeight}`;
    const state = number > epoch ? 'sealed' : number === epoch ? 'current' : `ended ${dateText(endedMs ?? 0)}`;
    return `  epoch ${number}: ${state}, ${members} validators${weight}, version ${version}`;
  });
  return [`epoch ${epoch} since height ${firstHeight}, now ${height}; ${next}`, ...lines].join('\n');
}
