/** A transfer as a row of a distilled batch: signed here, sent through one of several brokers, verified by its proof. */
import { openDistillery } from '@slipstream/client/distillery';
import { amount, count, defineCommand, EXIT_FAILED, flag, required } from '@slipstream/command-line';
import { readKeyPair } from '../account-key.ts';
import { directoryReference } from '../directory-reference.ts';
import { brokerOptions, chainOf, nativeSigning, readBlsKey, reportBroker, resultText, urlsOf } from '../distilling.ts';

const NAME = 'slipstream distill transfer';

export const distillTransferCommand = defineCommand({
  name: 'distill transfer',
  summary: 'Send a transfer through a broker of distilled batches, and verify what became of it.',
  details:
    'Sender and recipient have to be in the directory (slipstream account register). The secrets stay in this process. With several URLs ' +
    'the row goes to the next broker when one is lost; it runs once. A row with a straggler signature runs without a share of this ' +
    'process too, for the fee of an ordinary transfer.',
  options: {
    to: required('ACCOUNT|INDEX', 'Who is paid: 0x01 and 64 hexadecimal digits, or its index in the directory.'),
    amount: amount(undefined, 'How much.', { required: true }),
    tag: count(0, [0, 2 ** 32 - 1], 'NUMBER', 'For the one who is paid.'),
    key: required('FILE|0xSECRET', "The sender's secret."),
    'bls-key': required('FILE', 'Secret of its BLS key, as registered.'),
    'no-straggler': flag('Send no straggler signature: the row runs only in a batch that this process signs.'),
    ...brokerOptions,
  },
  example:
    'slipstream distill transfer --to 0x013b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29 ' +
    '--amount 5 --key alice.key --bls-key alice.bls.key --genesis chain/genesis.json',
  async run({ options, terminal }) {
    const to = directoryReference(options.to, '--to', NAME);
    const account = await readKeyPair(options.key, terminal);
    const bls = await readBlsKey(options['bls-key'], terminal);
    const distillery = openDistillery(
      urlsOf(options, terminal),
      { account, bls },
      {
        chain: await chainOf(options, terminal),
        stragglers: !options['no-straggler'],
        onBroker: reportBroker(terminal),
        ...nativeSigning,
      },
    );
    try {
      const result = await distillery.transfer({ to, amount: options.amount as bigint, tag: options.tag });
      terminal.out(resultText(result, options.json));
      return result.status === 'success' ? 0 : EXIT_FAILED;
    } finally {
      distillery.close();
    }
  },
});
