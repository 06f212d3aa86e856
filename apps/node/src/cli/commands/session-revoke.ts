/** A revoked session ends at once on the chain where the revocation is sent, and elsewhere when it expires. */
import { revokeSession } from '@slipstream/client';
import { defineCommand, text, usageError } from '@slipstream/command-line';
import { bytesEqual } from '@slipstream/primitives';
import { readKeyPair } from '../account-key.ts';
import { anchorOf, anchorOption } from '../anchor.ts';
import { maxFeeOption } from '../max-fee.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { readSessionFile, sessionOption } from '../session-file.ts';
import { exitCodeOf, transactionText } from '../transaction-text.ts';

const INVOCATION = 'slipstream session revoke';

export const sessionRevokeCommand = defineCommand({
  name: 'session revoke',
  summary: 'Revoke a session on a chain.',
  details:
    'With --key, a device of the identity ends it on the chain that granted it. Without, the session ends itself on another chain ' +
    'where it acts (it must have acted there). Chains refuse what is revoked with them at once.',
  options: {
    session: sessionOption,
    key: text('FILE|0xSECRET', 'A device of the identity, on the identity chain.'),
    anchor: anchorOption,
    'max-fee': maxFeeOption,
    url: urlOption,
  },
  example: 'slipstream session revoke --key alice.key --url http://127.0.0.1:8180',
  async run({ options, terminal }) {
    const session = await readSessionFile(options.session, terminal);
    const client = clientFor(options.url, terminal);
    const fee = { maxFee: options['max-fee'] ?? ('estimate' as const) };
    if (options.key === undefined) {
      const { issuer, target } = session.credential.grant;
      if (bytesEqual(issuer, target)) {
        throw usageError(INVOCATION, ['the chain where it acts granted it: there a device ends it, so give --key']);
      }
      const actions = [revokeSession(session.account, session.grantId)];
      const view = await client.session.act(actions, session, { ...fee, form: 'hash' });
      terminal.out(options.json ? JSON.stringify(view) : transactionText(view));
      return exitCodeOf(view);
    }
    const device = await readKeyPair(options.key, terminal);
    const anchor = anchorOf(options.anchor, device, INVOCATION);
    const view = await client.session.revoke(anchor, session.grantId, device, fee);
    terminal.out(options.json ? JSON.stringify(view) : transactionText(view));
    return exitCodeOf(view);
  },
});
