/** The committee in a credential for another chain. */
import { readCredentialProof, recordOfGenesis, type TransactionId, transactionIdOf } from '@slipstream/types';
import { expect, it } from 'vitest';
import { NOW_MS, person, sessionOf, signed, testChain } from '../../../packages/execution/test/session-world.ts';
import { createSessionReads } from '../src/backend/session-reads.ts';

const alice = person('alice');
const identity = testChain('identity', { balances: [alice.account] });
const target = testChain('target', { trusted: [identity.rootKey] });
const session = sessionOf(identity, target, alice);
const record = recordOfGenesis(identity.genesis);

const grant = signed(identity, alice, session.action);
const { transaction } = grant;
if (transaction === undefined) throw new Error('it decodes');
const inclusion = await identity.prove(identity.execute([grant]), 0);

async function credentialUnder(of: typeof record) {
  const ledger = {
    block: async () => ({ block: {} }),
    transaction: async (id: TransactionId) => {
      expect(id).toEqual(transactionIdOf(transaction?.body as never));
      return { height: 1, receipt: inclusion.receipt };
    },
    inclusionProof: async () => inclusion,
    record: async () => of,
  };
  const reads = createSessionReads({
    ledger: ledger as never,
    read: async (keys) => ({ height: 1, values: keys.map((key) => identity.read(key)) }),
    transactionOf: async () => transaction,
    genesisHash: identity.genesisHash,
    committeeCertificate: identity.committeeCertificate,
    headTimestampMs: () => NOW_MS,
  });
  const found = await reads.credential(session.grantId);
  if (found.type !== 'found') throw new Error(found.type);
  return { root: found.value.root, proof: readCredentialProof(found.value.proof) };
}

it('is the one that the root key certified, with its signature', async () => {
  const { root, proof } = await credentialUnder(record);
  expect(root?.expiryMs).toBe(identity.committeeCertificate.expiryMs);
  expect(proof?.committeeSignature).toEqual(identity.committeeCertificate.signature);
});

it('is the one of the certificate’s epoch without a signature, when the root key certified another', async () => {
  const members = record.members.map((member) => ({ ...member, weight: 2 }));
  const { root, proof } = await credentialUnder({ ...record, members });
  expect(root).toEqual({ key: identity.rootKey, expiryMs: 0 });
  expect(proof?.committeeSignature).toBeUndefined();
  expect(proof?.members.map(({ weight }) => weight)).toEqual([2, 2, 2, 2]);
});
