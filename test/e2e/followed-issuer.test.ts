/** An issuer's committee takes new keys, and the chain that accepts its sessions learns them by itself. */
import { anchorSalt, type ClientError, generateKeyPair } from '@slipstream/client';
import { eventually } from '@slipstream/devnet';
import { utf8 } from '@slipstream/primitives';
import { type Action, readCredentialProof } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  act,
  consentOf,
  giveNextKeys,
  operatorOf,
  untilEpoch,
  validatorIdFrom,
} from '../../scripts/devnet/governing.ts';
import { startTwoChains, type TwoChains } from './two-chains.ts';

const MS_MAX = 120_000;
const alice = generateKeyPair();
const write: Action = { kind: 'setData', name: 'colour', value: utf8('blue') };
let chains: TwoChains;

beforeAll(async () => {
  chains = await startTwoChains(1);
}, MS_MAX);

afterAll(() => chains?.remove());

test(
  'sessions of the issuer’s next committee act, and no client sent its handover',
  async () => {
    const { identity, home, target } = chains;
    const [node] = identity.cluster.nodes;
    if (node === undefined) throw new Error('the issuer has a node');
    const operator = await operatorOf(node);
    const keys = await giveNextKeys(node);
    await act(home, operator, {
      kind: 'rotateKeys',
      validatorId: await validatorIdFrom(home, 0),
      blsPublicKey: keys.blsPublicKey,
      peerKey: keys.peerKey,
      address: `127.0.0.1:${node.networkPort}`,
      feeAccount: operator.account,
      consent: await consentOf(home, keys, operator),
    });
    await untilEpoch(identity.cluster, 1);
    const terms = { anchor: alice.account, anchorSalt: anchorSalt(alice), service: 'shop.example', spendLimit: 0n };
    const limits = { actions: ['setData'] as const, expiryMs: Date.now() + 600_000 };
    const session = await home.session.grant({ ...terms, ...limits, target: await target.genesisHash() }, alice);
    // Only an advanceIssuer in the target's state certifies these keys: the root key did not.
    const { root, proof } = session.credential;
    expect(root).toEqual({ key: identity.rootKey, expiryMs: 0 });
    expect(readCredentialProof(proof)).toMatchObject({
      certificate: { subject: { epoch: 1 } },
      members: [{ blsPublicKey: keys.blsPublicKey }],
      committeeSignature: undefined,
    });
    const view = await eventually('the target accepts it', MS_MAX, async () => {
      try {
        return await target.session.act([write], session);
      } catch (error) {
        throw new Error(`${(error as ClientError).problem?.reason}: ${String(error)}`);
      }
    });
    expect(view).toMatchObject({ status: 'final', receipt: { outcome: { status: 'success' } } });
    // It was raised if the issuer's node did not answer yet at the start.
    await eventually('no alert of the issuer', MS_MAX, async () => {
      const { alerts } = await target.status();
      if (alerts.some(({ rule }) => rule === 'issuer-not-followed')) throw new Error(JSON.stringify(alerts));
      return true;
    });
  },
  4 * MS_MAX,
);
