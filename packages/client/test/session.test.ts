import { ed25519Verify } from '@slipstream/crypto/native';
import { sha256, to0x, utf8 } from '@slipstream/primitives';
import { asId, authorityMessage, type GenesisHash, grantIdOf, grantOf, pseudonymOf, scopeOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { credentialOf, person, sessionOf, testChain } from '../../execution/test/session-world.ts';
import {
  anchorSalt,
  ClientError,
  type GrantTerms,
  generateKeyPair,
  grantSession,
  keyPairFrom,
  openSession,
  sessionFromJson,
  sessionToJson,
  signWithSession,
} from '../src/index.ts';

const device = keyPairFrom(sha256(utf8('device')));
const terms: GrantTerms = {
  anchor: device.account,
  anchorSalt: anchorSalt(device),
  target: asId<GenesisHash>(sha256(utf8('target'))),
  service: 'wallet.example',
  actions: ['setData'],
  spendLimit: 5n,
  expiryMs: 1_800_000_000_000,
};

async function session() {
  const alice = person('alice');
  const identity = testChain('identity', { balances: [alice.account] });
  const target = testChain('target', { trusted: [identity.rootKey] });
  const made = sessionOf(identity, target, alice);
  return openSession(keyPairFrom(made.key.secret), await credentialOf(identity, made, alice));
}

describe('granting', () => {
  it('sends the chain the salt of one service, which reveals neither the anchor’s salt nor another service’s', () => {
    const key = generateKeyPair();
    const one = grantSession(terms, key);
    const other = grantSession({ ...terms, service: 'bank.example' }, key);
    expect(one.serviceSalt).not.toEqual(other.serviceSalt);
    expect(one.serviceSalt).not.toEqual(terms.anchorSalt);
    expect(grantSession(terms, generateKeyPair()).serviceSalt).toEqual(one.serviceSalt);
  });

  it('derives one pseudonym per service, whatever the session key, limits and times are', () => {
    const issuer = asId<GenesisHash>(sha256(utf8('issuer')));
    const one = grantOf(grantSession(terms, generateKeyPair()), issuer);
    const again = grantOf(grantSession({ ...terms, spendLimit: 9n, expiryMs: 1 }, generateKeyPair()), issuer);
    expect(again.pseudonym).toEqual(one.pseudonym);
    expect(one.pseudonym).toEqual(
      pseudonymOf(device.account, 'wallet.example', grantSession(terms, device).serviceSalt),
    );
    expect(grantIdOf(again)).not.toEqual(grantIdOf(one));
    expect(one.scope).toBe(scopeOf(['setData']));
  });

  it('rejects a service without a name', () => {
    expect(() => grantSession({ ...terms, service: '' }, device)).toThrow(ClientError);
  });
});

describe('a session', () => {
  it('survives a round trip through its serialization', async () => {
    const made = await session();
    const text = JSON.stringify(sessionToJson(made));
    expect(sessionFromJson(JSON.parse(text))).toEqual(made);
    expect(() => sessionFromJson({ secret: to0x(device.secret), credential: sessionToJson(made).credential })).toThrow(
      'another session key',
    );
    expect(() => sessionFromJson({ secret: '0x', credential: '0x00' })).toThrow(ClientError);
    expect(() => sessionFromJson(null)).toThrow('is this the file of a session');
  });

  it('signs for its account on its target, with the credential or much smaller with its hash', async () => {
    const made = await session();
    const action = { kind: 'setData', name: 'n', value: utf8('v') } as const;
    const parts = { actions: [action], expiryMs: 1_800_000_000_000, salt: new Uint8Array(8) };
    const [whole, short] = [signWithSession(parts, made), signWithSession(parts, made, 'hash')];
    expect(whole.id).toBe(short.id);
    expect(whole.transaction.body).toMatchObject({ sender: made.account, genesisHash: made.credential.grant.target });
    for (const { transaction, transactionId } of [whole, short]) {
      const message = authorityMessage(transactionId, transaction.auth);
      expect(ed25519Verify(made.key.publicKey, message, transaction.auth.signature)).toBe(true);
    }
    expect(whole.transaction.auth.signature).not.toEqual(short.transaction.auth.signature);
    expect(short.bytes.length).toBeLessThan(400);
    expect(whole.bytes.length).toBeGreaterThan(1_000);
  });
});
