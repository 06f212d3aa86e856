/** Grants a session key on an identity chain, for use on another chain. */
import { anchorSalt, createClient } from '@slipstream/client';
import { amount, count, defineCommand, inFolder, required, text, textOr, usageError } from '@slipstream/command-line';
import { readSecret } from '@slipstream/node-home';
import { fromHex, to0x } from '@slipstream/primitives';
import {
  asId,
  type GenesisHash,
  GRANT_LIFE_MS_MAX,
  GRANTABLE_ACTIONS,
  type GrantableAction,
  isGrantable,
} from '@slipstream/types';
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
    actions: textOr(
      'transfer',
      'NAME,...',
      `What it may do: ${Object.keys(GRANTABLE_ACTIONS).join(', ')}, call:APPLICATION.`,
    ),
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
    const actions = await actionsOf(options.actions, options.target);
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

const CALL = 'call:';

/** An application is given by its number, or by its name where the target is a node that can be asked. */
async function actionsOf(given: string, target: string): Promise<readonly GrantableAction[]> {
  const names = given.split(',');
  const isNamed = (name: string) => name.startsWith(CALL) && !/^[0-9]+$/.test(name.slice(CALL.length));
  const known = names.some(isNamed) && isUrl(target) ? await applicationsAt(target) : [];
  const actions = names.map((name) => {
    const called = isNamed(name)
      ? known.find((application) => application.name === name.slice(CALL.length))
      : undefined;
    return called ? `${CALL}${called.number}` : name;
  });
  const unknown = actions.filter((name) => !isGrantable(name));
  if (unknown.length === 0) return actions as readonly GrantableAction[];
  const lacks = unknown.some(isNamed)
    ? `; ${target} runs ${known.map(({ name }) => name).join(', ') || 'no application that is known here'}`
    : '';
  throw usageError(INVOCATION, [`--actions: a session cannot be granted "${unknown.join(', ')}"${lacks}`]);
}

async function applicationsAt(url: string) {
  return (await createClient({ url }).call('applications')).applications;
}

const isUrl = (text: string): boolean => /^https?:\/\//.test(text);

async function targetOf(given: string): Promise<GenesisHash> {
  if (/^0x[0-9a-f]{64}$/.test(given)) return asId<GenesisHash>(fromHex(given));
  if (!isUrl(given)) throw usageError(INVOCATION, ['--target must be a URL or a genesis hash']);
  return createClient({ url: given }).genesisHash();
}
