/** Sessions over the end of an epoch: a verdict is of the chunk's epoch, on every node (S15). */
import { createAuthorityChecks } from '@slipstream/crypto';
import { createBlsSigner, createInlineVerifier, generateBlsSecretKey } from '@slipstream/crypto/native';
import { sha256, utf8 } from '@slipstream/primitives';
import {
  type Action,
  asId,
  type Credential,
  certifiedMembers,
  committeeMessage,
  committeeOfRecord,
  createCredentialMemory,
  credentialProofCodec,
  type EpochRecord,
  epochKeysOf,
  epoch as epochOf,
  epochOfCredentialProof,
  grantOutput,
  height,
  makeCredential,
  merkleRoot,
  NO_RECORD,
  NO_UNITS,
  type Receipt,
  readCredentialProof,
  receiptCodec,
  type StateCertificate,
  subjectMessage,
  type Transaction,
  type TransactionId,
} from '@slipstream/types';
import { expect, it } from 'vitest';
import { epochChain } from '../../crypto/test/epoch-chain.ts';
import { byCredential, NOW_MS, person, sessionOf, type TestChain, type TestSession } from './session-world.ts';

const WRITE: Action = { kind: 'setData', name: 'n', value: utf8('v') };
const QUORUM = [0, 1, 2];
const root = createBlsSigner(generateBlsSecretKey(sha256(utf8('issuer root'))));
/** All keys change at every boundary. */
const shape = { members: 4, epochs: 3, rotations: () => 4 };
const [chain, issuer] = [await epochChain('own', shape), await epochChain('issuer', shape)];
const target = { genesisHash: chain.genesisHash } as TestChain;
const foreign = { genesisHash: issuer.genesisHash, rootKey: root.publicKey } as TestChain;
const alice = person('alice');

/** The root key is trusted in epochs 1 and 2. */
const records = chain.records.map((record, epoch) => ({
  ...record,
  parameters: { ...record.parameters, trustedIssuers: epoch === 1 || epoch === 2 ? [root.publicKey] : [] },
}));

/** What a node has checked before is in its memory. Its verifier knows no committee. */
function nodeOf(known: readonly EpochRecord[] = records) {
  const { verifier } = createInlineVerifier({ committees: [] });
  const recordOf = (epoch: number) => {
    const record = known.find((each) => each.epoch === epoch);
    if (record === undefined) throw new Error(`no record of epoch ${epoch}`);
    return record;
  };
  const checks = createAuthorityChecks(
    verifier,
    { genesisHash: chain.genesisHash, recordOf },
    createCredentialMemory(),
  );
  return async (transaction: Transaction, epoch: number) =>
    (await checks.check(transaction, 'chunk', epochOf(epoch))) ?? 'good';
}

async function provenBy(of: typeof chain, session: TestSession, epoch: number) {
  const at = of.preimage(epoch, NO_RECORD);
  const receipt: Receipt = {
    transactionId: asId<TransactionId>(sha256(utf8(`grant ${epoch}`))),
    outcome: { status: 'success' },
    output: grantOutput(session.grantId),
    fee: 0n,
    units: NO_UNITS,
    height: height(at.height),
    index: 0,
  };
  const preimage = { ...at, receiptsRoot: merkleRoot([receiptCodec.encode(receipt)]), transactionCount: 1 };
  return { receipt, path: [], preimages: [preimage], certificate: await of.certify(epoch, preimage) };
}

function used(session: TestSession, credential: Credential): Transaction {
  const form = { actions: [WRITE], expiryMs: NOW_MS + 30_000 };
  return byCredential(target, session, credential, form).transaction as Transaction;
}

/** Of this chain, certified by its committee of an epoch. */
async function ownUse(epoch: number, bend = (credential: Credential) => credential): Promise<Transaction> {
  const session = sessionOf(target, target, alice);
  const made = makeCredential(session.grant, await provenBy(chain, session, epoch), undefined);
  if (!made.ok) throw new Error(made.error);
  return used(session, bend(made.value));
}

async function foreignUse(): Promise<Transaction> {
  const session = sessionOf(foreign, target, alice);
  const members = certifiedMembers(committeeOfRecord(issuer.records[0] as EpochRecord));
  const expiryMs = NOW_MS * 2;
  const signature = root.signCompressed(committeeMessage(issuer.genesisHash, members, expiryMs));
  const certificate = { rootKey: root.publicKey, members, expiryMs, signature };
  const made = makeCredential(session.grant, await provenBy(issuer, session, 0), certificate);
  if (!made.ok) throw new Error(made.error);
  return used(session, made.value);
}

/** On a node that judges chunks of all these epochs, and on one for each. */
async function verdictsOf(transaction: Transaction, epochs: readonly number[]): Promise<readonly string[]> {
  const warm = nodeOf();
  const verdicts: string[] = [];
  for (const epoch of epochs) {
    const verdict = await warm(transaction, epoch);
    expect(await nodeOf()(transaction, epoch)).toBe(verdict);
    verdicts.push(verdict);
  }
  return verdicts;
}

const OVER = 'session-committee-expired';

it('a credential of this chain is valid in chunks of its epoch and the next one, whatever a node has checked', async () => {
  expect(await verdictsOf(await ownUse(0), [0, 1, 2, 3, 1, 0])).toEqual(['good', 'good', OVER, OVER, 'good', 'good']);
  expect(await verdictsOf(await ownUse(1), [2, 0, 1, 3, 0])).toEqual(['good', OVER, 'good', OVER, OVER]);
});

it('a quorum of an old committee issues nothing more, under its own epoch or under a later one', async () => {
  expect(await verdictsOf(await ownUse(0), [2])).toEqual([OVER]);
  const { verifier } = createInlineVerifier({ committees: [epochKeysOf(records[0] as EpochRecord)] });
  const honest = (await ownUse(2)).auth;
  if (honest.scheme !== 'session') throw new Error('not a session');
  const proof = readCredentialProof(honest.credential.proof);
  if (proof === undefined) throw new Error('no proof');
  const message = subjectMessage(chain.genesisHash, proof.certificate.subject);
  const votes = QUORUM.map((signer) => ({ signer, signature: chain.sign(0, signer, message), verified: false }));
  const { aggregate } = await verifier.checkQuorum({ epoch: 0, message, votes });
  const certificate: StateCertificate = { ...proof.certificate, signers: QUORUM, aggregate: aggregate as Uint8Array };
  const forged = await ownUse(2, (credential) => ({
    ...credential,
    proof: credentialProofCodec.encode({ ...proof, certificate }),
  }));
  expect(await verdictsOf(forged, [2, 3, 1])).toEqual(['session-bad-certificate', 'session-bad-certificate', OVER]);
});

it('a trusted issuer is one by the record of the chunk’s epoch', async () => {
  const unknown = 'session-unknown-issuer';
  expect(await verdictsOf(await foreignUse(), [1, 2, 3, 2, 0])).toEqual(['good', 'good', unknown, 'good', unknown]);
});

it('a node without a record gives no verdict', async () => {
  const transaction = await ownUse(0);
  const [first, second] = [records[0], records[1]] as EpochRecord[] as [EpochRecord, EpochRecord];
  await expect(nodeOf([second])(transaction, 1)).rejects.toThrow('no record of epoch 0');
  await expect(nodeOf([first])(transaction, 1)).rejects.toThrow('no record of epoch 1');
});

it('the epoch of a proof is where it decodes to', async () => {
  const { auth } = await ownUse(2);
  if (auth.scheme !== 'session') throw new Error('not a session');
  const { proof } = auth.credential;
  expect(epochOfCredentialProof(proof)).toBe(2);
  expect(readCredentialProof(proof)?.certificate.subject.epoch).toBe(2);
  for (let bytes = 0; bytes < proof.length; bytes++) {
    const cut = proof.subarray(0, bytes);
    expect([undefined, 2]).toContain(epochOfCredentialProof(cut));
    if (bytes % 97 === 0)
      expect(await nodeOf()(await ownUse(2, (whole) => ({ ...whole, proof: cut })), 2)).not.toBe('good');
  }
});
