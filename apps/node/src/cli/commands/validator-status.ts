import { join } from 'node:path';
import { defineCommand, inFolder } from '@slipstream/command-line';
import { to0x } from '@slipstream/primitives';
import { validatorText } from '../epoch-texts.ts';
import { validatorIdNamed } from '../member-named.ts';
import { clientOf, urlOption } from '../node-url.ts';
import { configOf } from '../places.ts';
import { homeOption } from '../stopped-node.ts';
import { keyPlacesOf } from '../validator-keys.ts';

export const validatorStatusCommand = defineCommand({
  name: 'validator status',
  summary: 'Show a validator as the chain knows it: status, weight, keys, and what it waits for.',
  positionals: [
    {
      name: 'ID',
      about: "id of a validator, or the name of a member. Default: of the home's BLS key.",
      optional: true,
    },
  ],
  options: { home: homeOption, url: urlOption },
  example: 'slipstream validator status --home validator-0',
  async run({ options, arguments: [given], terminal }) {
    const { publicKeyOfKeystore } = await import('../key-files.ts');
    const home = given === undefined ? (options.home ?? '.') : options.home;
    const client = await clientOf({ url: options.url, home }, terminal);
    const reference = given === undefined ? await keyOf(home ?? '.') : to0x(await validatorIdNamed(client, given));
    const validator = await client.validator(reference);
    terminal.out(options.json ? JSON.stringify(validator) : validatorText(validator));
    return 0;

    async function keyOf(folder: string): Promise<string> {
      const at = inFolder(terminal, folder);
      return await publicKeyOfKeystore(join(at, keyPlacesOf(await configOf(at, terminal)).keystore));
    }
  },
});
