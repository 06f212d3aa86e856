import { defineCommand, required, text, usageError } from '@slipstream/command-line';
import { fromHex, to0x } from '@slipstream/primitives';
import { proposalsInOutput } from '@slipstream/types';
import { readKeyPair } from '../account-key.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { changeOptions, changesOf, PROPOSE } from '../proposed-changes.ts';
import { reportSent, sendActions, sendOptions } from '../send-actions.ts';

export const governanceProposeCommand = defineCommand({
  name: 'governance propose',
  summary: 'Propose changes of the committee and the parameters, as a governor. It is also your approval.',
  details:
    'The changes are taken in the order of the options: all at once when one seal may move so much weight, else one by one. The receipt names ' +
    'the proposal; the others approve it with slipstream governance approve. It lives for seven days after it could be due.',
  options: {
    key: required('FILE|0xSECRET', "The governor's secret."),
    ...changeOptions,
    'not-before': text('TIME', 'Earliest block time: 2027-01-01T00:00:00Z. Default: as soon as it is approved.'),
    url: urlOption,
    ...sendOptions,
  },
  example:
    'slipstream governance propose --key validator-0/keys/peer.seed --add new-node/validator.json --weight 1 --url http://127.0.0.1:8080',
  async run({ options, terminal }) {
    const notBeforeMs = timeOf(options['not-before']);
    const key = await readKeyPair(options.key, terminal);
    const client = clientFor(options.url, terminal);
    const changes = await changesOf(client, options, terminal);
    const view = await sendActions(client, key, [{ kind: 'propose', changes, notBeforeMs }], options);
    const [id] = view.receipt === undefined ? [] : (proposalsInOutput(fromHex(view.receipt.output)) ?? []);
    const next =
      id === undefined
        ? ['the receipt will name the proposal: slipstream tx show, slipstream governance show']
        : [`proposal ${to0x(id)}`, `others approve it: slipstream governance approve ${to0x(id)} --key FILE`];
    return reportSent(view, options, terminal, next);
  },
});

function timeOf(given: string | undefined): number {
  if (given === undefined) return 0;
  const ms = Date.parse(given);
  if (Number.isSafeInteger(ms) && ms >= 0) return ms;
  throw usageError(PROPOSE, [`--not-before must be a time such as 2027-01-01T00:00:00Z, not "${given}"`]);
}
