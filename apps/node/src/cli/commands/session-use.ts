import { type Client, ClientError, type Session, type SessionProofForm, transfer } from '@slipstream/client';
import { amount, choice, defineCommand, text, usageError } from '@slipstream/command-line';
import { to0x, utf8 } from '@slipstream/primitives';
import type { Action } from '@slipstream/types';
import { lifeOption } from '../life-option.ts';
import { maxFeeOption, signWithin, urgentOption } from '../max-fee.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { sendSigned } from '../send-signed.ts';
import { readSessionFile, sessionOption } from '../session-file.ts';
import { exitCodeOf, transactionText } from '../transaction-text.ts';

export const sessionUseCommand = defineCommand({
  name: 'session use',
  summary: 'Use a session: send a transfer or set data, signed by the session key alone.',
  details:
    'The first use brings the credential; once the chain knows the session, later ones carry its id alone. Refusals say why: ' +
    'expired, revoked, out of scope, over the limit.',
  options: {
    session: sessionOption,
    to: text('ACCOUNT', 'Who is paid.'),
    amount: amount(undefined, 'How much.'),
    data: text('NAME=VALUE', 'Data to set under the account of the session.'),
    form: choice(
      ['auto', 'credential', 'hash'],
      'auto',
      'What the transaction carries; auto: as little as the chain needs.',
    ),
    'max-fee': maxFeeOption,
    urgent: urgentOption,
    'expires-in': lifeOption,
    wait: choice(['no', 'final'], 'final', 'What to wait for.'),
    url: urlOption,
  },
  example:
    'slipstream session use --to 0x013b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29 --amount 5 ' +
    '--url http://127.0.0.1:8080',
  async run({ options, terminal }) {
    const session = await readSessionFile(options.session, terminal);
    const actions = actionsOf(options);
    const client = clientFor(options.url, terminal);
    const terms = {
      form: options.form === 'auto' ? await formFor(session, client) : options.form,
      expiryMs: Date.now() + options['expires-in'] * 1_000,
    };
    const signed = await signWithin(options, client, (maxFee) =>
      client.session.sign(actions, session, { ...terms, maxFee }),
    );
    const view = await sendSigned(client, signed, options.wait);
    terminal.out(options.json ? JSON.stringify(view) : transactionText(view));
    return exitCodeOf(view);
  },
});

async function formFor({ grantId }: Session, client: Client): Promise<SessionProofForm> {
  try {
    await client.session.show(to0x(grantId));
    return 'hash';
  } catch (error) {
    if (error instanceof ClientError && error.code === 'session-unknown') return 'credential';
    throw error;
  }
}

interface What {
  readonly to: string | undefined;
  readonly amount: bigint | undefined;
  readonly data: string | undefined;
}

function actionsOf({ to, amount: paid, data }: What): readonly Action[] {
  const actions: Action[] = [];
  const faults: string[] = [];
  if (to !== undefined && paid !== undefined) actions.push(transfer(to, paid));
  else if (to !== undefined || paid !== undefined) faults.push('--to and --amount belong together');
  if (data !== undefined) {
    const at = data.indexOf('=');
    if (at < 1) faults.push(`--data must be NAME=VALUE, not "${data}"`);
    else actions.push({ kind: 'setData', name: data.slice(0, at), value: utf8(data.slice(at + 1)) });
  }
  if (actions.length === 0 && faults.length === 0) faults.push('say what to do: --to and --amount, or --data');
  if (faults.length > 0) throw usageError('slipstream session use', faults);
  return actions;
}
