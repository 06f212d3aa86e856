/** A session key signs its authority with the transaction: who packs it cannot give it another under the same id. */
import { createAuthorityChecks } from '@slipstream/crypto';
import { ed25519PublicKey } from '@slipstream/crypto/native';
import { toHex, utf8 } from '@slipstream/primitives';
import {
  type Action,
  authorityMessage,
  createCredentialMemory,
  type DecodedTransaction,
  GENESIS_EPOCH,
  type PreparedTransaction,
  sessionKeyOf,
  type Transaction,
} from '@slipstream/types';
import { beforeEach, describe, expect, it } from 'vitest';
import { sessionChainOf } from '../../types/test/session-chain.ts';
import { executeBlock, genesisBatch, METERED_FEES } from '../src/index.ts';
import { type AttackWorld, attackWorld, rewrapped, rewrappings } from './session-attacks.ts';
import {
  byCredential,
  byHash,
  credentialOf,
  NOW_MS,
  person,
  prepared,
  sessionOf,
  signed,
  testChain,
} from './session-world.ts';

const MAX_FEE = 200_000n;
const WRITE: Action = { kind: 'setData', name: 'n', value: utf8('v') };

/** As a node judges it: the session key's signature, then the credential if there is one. */
async function judged(
  { target }: Pick<AttackWorld, 'target'>,
  decoded: DecodedTransaction,
): Promise<PreparedTransaction> {
  const { verifier } = target;
  const transaction = decoded.transaction as Transaction;
  const { auth } = transaction;
  if (auth.scheme === 'ed25519') throw new Error('not a session');
  const asked = {
    publicKey: sessionKeyOf(auth),
    message: authorityMessage(decoded.id, auth),
    signature: auth.signature,
  };
  const [isSigned] = await verifier.checkAccounts([asked], 'chunk');
  if (!isSigned) return { ...decoded, signatureValid: false, fault: 'bad-signature' };
  const fault = await createAuthorityChecks(verifier, sessionChainOf(target), createCredentialMemory()).check(
    transaction,
    'chunk',
    GENESIS_EPOCH,
  );
  if (fault === 'not-now') throw new Error('checks have no budget here');
  return { ...decoded, signatureValid: fault === undefined, fault };
}

let world: AttackWorld;

beforeEach(async () => {
  world = await attackWorld();
});

describe('another authority under the id of a session’s transaction', () => {
  it('has a bad signature, though it would be valid had the session key signed it', async () => {
    const cases = await rewrappings(world);
    expect(cases).toHaveLength(4);
    for (const { name, honest, bent, resigned } of cases) {
      expect([name, bent.id]).toEqual([name, honest.id]);
      expect([name, (await judged(world, honest)).signatureValid]).toEqual([name, true]);
      expect([name, (await judged(world, bent)).fault]).toEqual([name, 'bad-signature']);
      expect([name, (await judged(world, resigned)).signatureValid]).toEqual([name, true]);
    }
  });

  it('costs the user nothing: the transaction is executed as it was signed, for its own fee', async () => {
    const alice = person('alice');
    const identity = testChain('identity', { balances: [alice.account] });
    const target = testChain('target', { trusted: [identity.rootKey], balances: [alice.account] });
    const session = sessionOf(identity, target, alice, { spendLimit: 900_000n });
    const credential = await credentialOf(identity, session, alice);
    target.execute([signed(target, alice, { kind: 'transfer', to: session.account, amount: 900_000n })]);
    // From here on the credential is public.
    target.execute([prepared(byCredential(target, session, credential, { actions: [WRITE] }))]);
    const metered = new Map(
      genesisBatch({ ...target.genesis, fees: METERED_FEES, allocations: [] }, ed25519PublicKey).map(
        ({ key, value }) => [toHex(key), value],
      ),
    );
    const run = (transactions: readonly PreparedTransaction[]) =>
      executeBlock({
        genesisHash: target.genesisHash,
        epoch: 0,
        view: 50,
        parentView: 49,
        height: 50,
        timestampMs: NOW_MS,
        proposer: 0,
        chunks: [{ epoch: 0, producer: 0, transactions }],
        seen: () => false,
        read: (key) => metered.get(toHex(key)) ?? target.read(key),
      });
    const honest = byHash(target, session, { actions: [WRITE], maxFee: MAX_FEE });
    const dearer = byCredential(target, session, credential, { actions: [WRITE], maxFee: MAX_FEE });
    const [fee, dearerFee] = [honest, dearer].map((each) => run([prepared(each)]).receipts[0]?.fee as bigint);
    expect(dearerFee).toBeGreaterThan(5n * (fee as bigint));

    const bent = rewrapped(honest, { scheme: 'session', credential });
    const { receipts, skipped } = run([await judged({ target }, bent), await judged({ target }, honest)]);
    expect(skipped.map(({ reason }) => reason)).toEqual(['bad-signature']);
    expect(receipts.map((receipt) => receipt.fee)).toEqual([fee]);
  });
});
