import { defineCommand, inFolder, required, text } from '@slipstream/command-line';
import { keyKindOf } from '../key-kind.ts';

export const keysNewCommand = defineCommand({
  name: 'keys new',
  summary: 'Create a key: of an account, of a validator (an EIP-2335 keystore), or of the network (a seed).',
  positionals: [{ name: 'KIND', about: 'account, validator or network' }],
  options: {
    out: required('FILE', 'Where to write it; never over a file that is there.'),
    'password-file': text('FILE', "The keystore's password; made when the file is missing."),
  },
  example: 'slipstream keys new account --out alice.key',
  async run({ options, arguments: [given = ''], terminal }) {
    const kind = keyKindOf(given, 'slipstream keys new');
    const { keyText, newSecret, publicView, writeKey } = await import('../key-files.ts');
    const secret = newSecret(kind);
    const file = inFolder(terminal, options.out);
    const passwordFile = options['password-file'];
    await writeKey(kind, secret, file, passwordFile && inFolder(terminal, passwordFile));
    const view = publicView(kind, secret);
    terminal.out(options.json ? JSON.stringify({ file, ...view }) : `${keyText(view)}\nin ${file}`);
    return 0;
  },
});
