import { count, defineCommand, inFolder, required, textOr } from '@slipstream/command-line';
import { counted } from '@slipstream/primitives';

const DAY_MS = 24 * 60 * 60 * 1000;
const YEAR_DAYS = 365;
const DAYS_MAX = 10 * YEAR_DAYS;

export const certifyCommitteeCommand = defineCommand({
  name: 'keys certify-committee',
  summary: 'Sign the committee of a chain with its root key until an expiry, so that other chains accept its sessions.',
  details:
    'Run it on the machine with the root key; it contacts no node. Copy the file over committee.certificate in the home of each node ' +
    'of the chain and restart them one by one. Sessions that a chain has seen live on; new ones need a certificate that has not ' +
    'ended.',
  options: {
    genesis: required('FILE', 'genesis.json of the chain.'),
    keystore: textOr('root.keystore.json', 'FILE', 'The root key.'),
    'password-file': textOr('root.password', 'FILE', "The keystore's password."),
    'expires-in': count(YEAR_DAYS * 24 * 3600, [1, DAYS_MAX * 24 * 3600], 'SECONDS', 'Lifetime; default one year.'),
    out: textOr('committee.certificate', 'FILE', 'File to write, over the last one.'),
  },
  example:
    'slipstream keys certify-committee --genesis chain/genesis.json --keystore chain/root.keystore.json ' +
    '--password-file chain/root.password --out chain/committee.certificate',
  async run({ options, terminal }) {
    const { createBlsSigner, decryptKeystore } = await import('@slipstream/crypto/native');
    const { readGenesis, readPassword, readText, writeText } = await import('@slipstream/node-home');
    const { certifyCommittee } = await import('@slipstream/node-home/chain');
    const { NodeError } = await import('../../errors.ts');
    const genesis = await readGenesis(inFolder(terminal, options.genesis));
    const keystore = await readText(inFolder(terminal, options.keystore), 'keystore of the root key');
    const password = await readPassword(inFolder(terminal, options['password-file']), 'password of the root key');
    const root = createBlsSigner(decryptKeystore(keystore, password));
    const expiryMs = Date.now() + options['expires-in'] * 1_000;
    const certificate = certifyCommittee(root, genesis, expiryMs);
    if (certificate === undefined) {
      throw new NodeError('usage', `the committee of ${genesis.chain} is too large to issue sessions`, {});
    }
    const file = inFolder(terminal, options.out);
    await writeText(file, certificate);
    const view = { file, chain: genesis.chain, members: genesis.members.length, expiryMs };
    const days = Math.floor((options['expires-in'] * 1_000) / DAY_MS);
    const until = `until ${new Date(expiryMs).toISOString()} (${counted(days, 'day')})`;
    terminal.out(
      options.json
        ? JSON.stringify(view)
        : `the committee of ${view.chain}, ${counted(view.members, 'member')}, ${until}\nin ${file}`,
    );
    return 0;
  },
});
