import { choice, defineCommand, inFolder } from '@slipstream/command-line';
import type { KeyPlaces } from '@slipstream/node-home/chain';
import { fromHex, to0x } from '@slipstream/primitives';
import { requireAccount, type ValidatorId } from '@slipstream/types';
import { accountOption, addressOption } from '../chain-options.ts';
import { clientOf, urlOption } from '../node-url.ts';
import { configOf } from '../places.ts';
import { reportSent, sendActions, sendOptions } from '../send-actions.ts';
import { homeOption } from '../stopped-node.ts';
import { accountKeyOption, accountOfHome, keyPlacesOf, signingKeysOf } from '../validator-keys.ts';

export const validatorRotateCommand = defineCommand({
  name: 'validator rotate',
  summary: 'Give a validator its next keys, another address or fee account, as its operator.',
  details:
    'Next keys are made under keys/next unless they are there. The node signs with the old ones until a record with the new ones is in force, ' +
    'so both must be there; afterwards: slipstream keys retire. With --keys none only address and fee account change.',
  options: {
    home: homeOption,
    keys: choice(['both', 'bls', 'network', 'none'], 'both', 'Which keys to replace.'),
    address: addressOption('Where peers reach it. Default: as before.'),
    'fee-account': accountOption('Account that earns its fees. Default: as before.'),
    key: accountKeyOption,
    url: urlOption,
    ...sendOptions,
  },
  example: 'slipstream validator rotate --home validator-0 --keys bls',
  async run({ options, terminal }) {
    const home = inFolder(terminal, options.home ?? '.');
    const config = await configOf(home, terminal);
    const client = await clientOf({ url: options.url, home: options.home ?? '.' }, terminal);
    const { makeMissingKeys, NEXT_KEYS } = await import('@slipstream/node-home/chain');
    const { createRandom } = await import('@slipstream/platform');
    const { rotateKeysAction } = await import('../../validator/key-actions.ts');
    const own = keyPlacesOf(config);
    const current = await signingKeysOf(home, own);
    const validator = await client.validator(to0x(current.blsPublicKey));
    const key = await accountOfHome(options.key, home, config, terminal);
    const places = placesOf(options.keys, own, NEXT_KEYS);
    await makeMissingKeys(createRandom(), home, places, `${validator.name} next`);
    const next = await signingKeysOf(home, places);
    const action = rotateKeysAction(await client.genesisHash(), next, {
      validatorId: fromHex(validator.id) as ValidatorId,
      address: options.address ?? validator.address,
      feeAccount: options['fee-account'] ?? requireAccount(validator.feeAccount),
      operator: key.account,
    });
    const view = await sendActions(client, key, [action], options);
    const then =
      'the running node reads them, and reports that it has them if it has an account; else: slipstream validator ready';
    return reportSent(
      view,
      options,
      terminal,
      options.keys === 'none' ? [] : [`next key ${to0x(next.blsPublicKey)}`, then],
    );
  },
});

/** Keys that are not replaced stay where they are. */
function placesOf(which: 'both' | 'bls' | 'network' | 'none', own: KeyPlaces, next: KeyPlaces): KeyPlaces {
  const bls = which === 'both' || which === 'bls' ? next : own;
  const network = which === 'both' || which === 'network' ? next : own;
  return { keystore: bls.keystore, password: bls.password, seed: network.seed };
}
