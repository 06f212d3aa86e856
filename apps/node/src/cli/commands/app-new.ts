import { relative } from 'node:path';
import { defineCommand, inFolder, text, usageError } from '@slipstream/command-line';
import { requireCheckout } from '../application-tools.ts';

const INVOCATION = 'slipstream app new';

export const appNewCommand = defineCommand({
  name: 'app new',
  summary: 'Create a folder with a small application, its test, and settings for editors.',
  details: 'docs/integrators/write-an-application.md goes on from there. Nothing is written where the folder exists.',
  positionals: [{ name: 'NAME', about: 'its name on chains: a letter of a-z, then up to 31 of a-z, 0-9 and "-"' }],
  options: { out: text('DIR', 'The folder. Default: NAME, in the working folder.') },
  example: 'slipstream app new tickets --out ../tickets',
  async run({ options, arguments: [name = ''], terminal }) {
    requireCheckout('app new');
    const { isApplicationName } = await import('@slipstream/app/program');
    if (!isApplicationName(name))
      throw usageError(INVOCATION, [`NAME "${name}" must be a letter of a-z, then up to 31 of a-z, 0-9 and "-"`]);
    const { newApplication } = await import('../app/new-application.ts');
    const folder = inFolder(terminal, options.out ?? name);
    const files = await newApplication(name, folder);
    const shown = relative(terminal.folder, folder);
    terminal.out(
      options.json
        ? JSON.stringify({ folder, files })
        : [...files.map((file) => `${shown}/${file}`), '', 'Next:', `  slipstream app test ${shown}`].join('\n'),
    );
    return 0;
  },
});
