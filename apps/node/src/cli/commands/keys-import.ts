import { defineCommand, inFolder, required, text } from '@slipstream/command-line';
import { readText } from '@slipstream/node-home';
import { fromUtf8 } from '@slipstream/primitives';
import { keyKindOf } from '../key-kind.ts';

const SECRET_TEXT_BYTES_MAX = 1_024;

export const keysImportCommand = defineCommand({
  name: 'keys import',
  summary: 'Import an existing secret (64 hexadecimal digits) into a key file.',
  details: 'If the validator has signed elsewhere, import its signing history too: slipstream keys import-history.',
  positionals: [{ name: 'KIND', about: 'account, validator or network' }],
  options: {
    secret: required('FILE', 'File with the secret; - for standard input.'),
    out: required('FILE', 'Where to write the key; never over a file that is there.'),
    'password-file': text('FILE', "The keystore's password; made when the file is missing."),
  },
  example:
    'slipstream keys import validator --secret - --out bls.keystore.json --password-file bls.password < secret.txt',
  async run({ options, arguments: [given = ''], terminal }) {
    const kind = keyKindOf(given, 'slipstream keys import');
    const { keyText, parseSecret, publicView, writeKey } = await import('../key-files.ts');
    const words =
      options.secret === '-'
        ? fromUtf8(await terminal.readInput(SECRET_TEXT_BYTES_MAX))
        : await readText(inFolder(terminal, options.secret), 'secret');
    const secret = parseSecret(words, options.secret === '-' ? 'standard input' : options.secret);
    const view = publicView(kind, secret);
    const file = inFolder(terminal, options.out);
    const passwordFile = options['password-file'];
    await writeKey(kind, secret, file, passwordFile && inFolder(terminal, passwordFile));
    terminal.out(options.json ? JSON.stringify({ file, ...view }) : `${keyText(view)}\nin ${file}`);
    return 0;
  },
});
