import { join } from 'node:path';
import { defineCommand, inFolder } from '@slipstream/command-line';
import { fromHex } from '@slipstream/primitives';
import type { ValidatorId } from '@slipstream/types';
import { clientOf, urlOption } from '../node-url.ts';
import { configOf } from '../places.ts';
import { reportSent, sendActions, sendOptions } from '../send-actions.ts';
import { homeOption } from '../stopped-node.ts';
import { accountKeyOption, accountOfHome, keyPlacesOf } from '../validator-keys.ts';

export const validatorLeaveCommand = defineCommand({
  name: 'validator leave',
  summary: 'Take a validator out of the committee, as its operator. It cannot be taken back.',
  details:
    'Leave the node running until the epoch without it began: its weight counts until then. Then stop it, and erase its keys: ' +
    'slipstream keys retire.',
  options: { home: homeOption, key: accountKeyOption, url: urlOption, ...sendOptions },
  example: 'slipstream validator leave --home validator-3',
  async run({ options, terminal }) {
    const { publicKeyOfKeystore } = await import('../key-files.ts');
    const home = inFolder(terminal, options.home ?? '.');
    const config = await configOf(home, terminal);
    const client = await clientOf({ url: options.url, home: options.home ?? '.' }, terminal);
    const { id } = await client.validator(await publicKeyOfKeystore(join(home, keyPlacesOf(config).keystore)));
    const key = await accountOfHome(options.key, home, config, terminal);
    const view = await sendActions(client, key, [{ kind: 'leave', validatorId: fromHex(id) as ValidatorId }], options);
    return reportSent(view, options, terminal, ['it leaves at a seal; see: slipstream validator status']);
  },
});
