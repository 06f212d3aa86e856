import { defineCommand, inFolder, text } from '@slipstream/command-line';

export const keysShowCommand = defineCommand({
  name: 'keys show',
  summary: 'Show the public part of a key file: account, peer key, or BLS public key. Never the secret.',
  details: 'With the password of a keystore: verify that it opens, and show the proof of possession.',
  positionals: [{ name: 'FILE', about: 'a key file' }],
  options: { 'password-file': text('FILE', "The keystore's password.") },
  example: 'slipstream keys show chain/validator-0/keys/bls.keystore.json',
  async run({ options, arguments: [file = ''], terminal }) {
    const { keyText, viewKeyFile } = await import('../key-files.ts');
    const passwordFile = options['password-file'];
    const views = await viewKeyFile(inFolder(terminal, file), passwordFile && inFolder(terminal, passwordFile));
    // Bare digits fit several kinds of keys.
    const words = views.map((view) => (views.length > 1 ? `as ${keyText(view)}` : keyText(view)));
    terminal.out(options.json ? JSON.stringify({ keys: views }) : words.join('\n'));
    return 0;
  },
});
