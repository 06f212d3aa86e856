/** Grants a session key on an identity chain, for use on another chain. */
import { anchorSalt, createClient } from '@slipstream/client';
import { amount, count, defineCommand, inFolder, required, text, textOr, usageError } from '@slipstream/command-line';
import { readSecret } from '@slipstream/node-home';
import { fromHex, to0x } from '@slipstream/primitives';
import { asId, type GenesisHash, GRANT_LIFE_MS_MAX, GRANTABLE_ACTIONS, type GrantableAction } from '@slipstream/types';
import { readKeyPair } from '../account-key.ts';
import { anchorOf, anchorOption } from '../anchor.ts';
import { maxFeeOption } from '../max-fee.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { newSessionFile, SESSION_FILE, writeSessionFile } from '../session-file.ts';

const INVOCATION = 'slipstream session grant';
const HOUR_SECONDS = 3600;

export const sessionGrantCommand = defineCommand({
  name: 'session grant',
  summary: 'Grant a session: a new key that acts on a chain for a service, within limits.',
  details:
    'The grant is a transaction on the identity chain (--url). Towards the service you appear under a pseudonym; the file that ' +
    'is written holds the session key and its credential, and is all that "session use" needs.',
  options: {
    key: required('FILE|0xSECRET', 'A device of the identity: it signs the grant.'),
    anchor: anchorOption,
    salt: text('FILE', "The identity's secret salt, 64 hexadecimal digits. Default: made from the device's secret."),
    service: required('NAME', 'Service that uses the session: wallet.example.'),
    target: required('URL|0xGENESIS', 'Chain where the session acts: the URL of a node, or the genesis hash.'),
    actions: textOr('transfer', 'NAME,...', `What it may do: ${Object.keys(GRANTABLE_ACTIONS).join(', ')}.`),
    limit: amount(0n, 'What it may spend in all, fees included. Default: 0.'),
    'expires-in': count(HOUR_SECONDS, [1, GRANT_LIFE_MS_MAX / 1000], 'SECONDS', 'Until it ends.'),
    'max-fee': maxFeeOption,
    out: textOr(SESSION_FILE, 'FILE', 'File to write; never over one that is there.'),
    url: urlOption,
  },
  example:
    'slipstream session grant --key alice.key --service wallet.example --target http://127.0.0.1:8080 ' +
    '--actions transfer,setData --limit 500 --url http://127.0.0.1:8180',
  async run({ options, terminal }) {
    const file = newSessionFile(options.out, terminal);
    const device = await readKeyPair(options.key, terminal);
    const actions = actionsOf(options.actions);
    const anchor = anchorOf(options.anchor, device, INVOCATION);
    const salt =
      options.salt === undefined ? anchorSalt(device) : await readSecret(inFolder(terminal, options.salt), 'salt');
    const session = await clientFor(options.url, terminal).session.grant(
      {
        anchor,
        anchorSalt: salt,
        actions,
        service: options.service,
        spendLimit: options.limit,
        target: await targetOf(options.target),
        expiryMs: Date.now() + options['expires-in'] * 1_000,
      },
      device,
      { maxFee: options['max-fee'] ?? 'estimate' },
    );
    await writeSessionFile(file, session);
    const view = {
      id: to0x(session.grantId),
      account: session.accountText,
      expiryMs: session.credential.grant.expiryMs,
    };
    const lines = [
      `session ${view.id}`,
      `  acts for ${view.account}, your account there: payers of this service pay it`,
      `  until    ${new Date(view.expiryMs).toISOString()}`,
      `  file     ${file} (secret)`,
    ];
    terminal.out(options.json ? JSON.stringify({ ...view, file }) : lines.join('\n'));
    return 0;
  },
});

function actionsOf(names: string): readonly GrantableAction[] {
  const actions = names.split(',');
  const unknown = actions.filter((name) => !Object.hasOwn(GRANTABLE_ACTIONS, name));
  if (unknown.length > 0)
    throw usageError(INVOCATION, [`--actions: a session cannot be granted "${unknown.join(', ')}"`]);
  return actions as GrantableAction[];
}

async function targetOf(given: string): Promise<GenesisHash> {
  if (/^0x[0-9a-f]{64}$/.test(given)) return asId<GenesisHash>(fromHex(given));
  if (!/^https?:\/\//.test(given)) throw usageError(INVOCATION, ['--target must be a URL or a genesis hash']);
  return createClient({ url: given }).genesisHash();
}
