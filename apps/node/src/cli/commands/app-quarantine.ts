import { defineCommand, flag, usageError } from '@slipstream/command-line';
import type { QuarantineView } from '@slipstream/schema';
import { adminClient, adminOptions } from '../admin.ts';
import { clientOf, urlOption } from '../node-url.ts';

const NAMED = /^([a-z][a-z0-9-]*)\.([A-Za-z][A-Za-z0-9]*)$/;

export const appQuarantineCommand = defineCommand({
  name: 'app quarantine',
  summary:
    'List the actions of applications that a running node keeps out of its pool and blocks, add one, or lift one.',
  details:
    'An action comes there by itself when a call of it ran for more than 10 s. The list is of this node alone: blocks of others with such calls are ' +
    'executed as any other. With an action it is added, with --lift it is lifted.',
  positionals: [{ name: 'NAME.ACTION', about: 'an action of an application.', optional: true }],
  options: { ...adminOptions, url: urlOption, lift: flag('Let its calls in again.') },
  example: 'slipstream app quarantine token.mint --lift --home validator-0',
  async run({ options: { json, lift, ...places }, arguments: [named], terminal }) {
    const [, application = '', action = ''] = NAMED.exec(named ?? '') ?? [];
    if (lift ? action === '' : named !== undefined && action === '')
      throw usageError('slipstream app quarantine', ['name an action as NAME.ACTION, such as token.mint']);
    const route = lift ? 'liftQuarantine' : 'quarantineAction';
    const { items } =
      named === undefined
        ? await (await clientOf(places, terminal)).call('quarantine', {})
        : await (await adminClient(places, terminal)).call(route, { params: { application, action }, body: {} });
    if (json) terminal.out(JSON.stringify({ items }));
    else terminal.out(items.map(lineOf).join('\n') || 'no action is in quarantine');
    return 0;
  },
});

function lineOf({ application, name, by, sinceMs, transaction }: QuarantineView): string {
  const of = transaction === undefined ? '' : `  transaction ${transaction}`;
  return `${application}.${name}  by the ${by}  since ${new Date(sinceMs).toISOString()}${of}`;
}
