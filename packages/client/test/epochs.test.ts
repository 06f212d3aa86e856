/** Committees by epoch, followed from a genesis file, and what is verified with them. */
import { to0x } from '@slipstream/primitives';
import { certificateToJson, type HandoverJson, handoverToJson, proofToJson } from '@slipstream/schema';
import {
  asId,
  type Certificate,
  genesisToJson,
  height,
  type InclusionProof,
  merklePath,
  merkleRoot,
  NO_RECORD,
  receiptCodec,
  type StateDigest,
  type Subject,
  subjectMessage,
  type TransactionId,
  view,
  voteCodec,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { epochChain } from '../../crypto/test/epoch-chain.ts';
import {
  blame,
  committeesOf,
  committeesOfPin,
  createCertificateVerifier,
  type EpochCommittees,
  followEpochs,
  verifyEvidence,
  verifyProof,
} from '../src/index.ts';
import { receiptsOf } from './real-chain.ts';

const EPOCHS = 3;
/** All keys of an epoch are new, so no other committee's check passes. */
const chain = await epochChain('client-epochs', { members: 4, epochs: EPOCHS, rotations: () => 4 });
const genesis = genesisToJson(chain.genesis);
const handovers = chain.handovers.map(handoverToJson);
const forged = { ...(handovers[1] as HandoverJson), ssz: flipped((handovers[1] as HandoverJson).ssz) };

/** In the aggregate, before the two hashes of the record. */
function flipped(ssz: string): string {
  const { certificate } = chain.handovers[1] as (typeof chain.handovers)[number];
  const other = (chain.handovers[0] as (typeof chain.handovers)[number]).certificate.aggregate;
  return ssz.replace(to0x(certificate.aggregate).slice(2), to0x(other).slice(2));
}

function followed(upTo = EPOCHS): EpochCommittees {
  const committees = committeesOf(genesis);
  if (!committees.ok) throw new Error(committees.error);
  expect(committees.value.follow(handovers.slice(0, upTo))).toMatchObject({ ok: true, value: { epoch: upTo } });
  return committees.value;
}

async function proofOf(epoch: number): Promise<InclusionProof> {
  const at = chain.preimage(epoch, NO_RECORD);
  const ids = [asId<TransactionId>(new Uint8Array(32).fill(1)), asId<TransactionId>(new Uint8Array(32).fill(2))];
  const receipts = receiptsOf(ids, at.height);
  const leaves = receipts.map((receipt) => receiptCodec.encode(receipt));
  const preimage = { ...at, receiptsRoot: merkleRoot(leaves), transactionCount: leaves.length };
  return {
    receipt: receipts[0] as (typeof receipts)[number],
    path: merklePath(leaves, 0),
    preimages: [preimage],
    certificate: await chain.certify(epoch, preimage),
  };
}

describe('committees followed from a genesis file', () => {
  it('are known by epoch, up to the last handover', () => {
    const committees = followed(2);
    for (const { epoch, members } of chain.records.slice(0, 3)) {
      expect(committees.of(epoch)?.members.map(({ blsPublicKey }) => blsPublicKey)).toEqual(
        members.map(({ blsPublicKey }) => blsPublicKey),
      );
    }
    expect(committees.of(3)).toBeUndefined();
    expect(committees.follow({ items: handovers, next: null })).toMatchObject({ ok: true, value: { epoch: 3 } });
  });

  it.each<[string, unknown, string]>([
    ['a forged one', [handovers[0], forged], 'handover of epoch 1: the aggregate is not a signature'],
    ['a gap', [handovers[0], handovers[2]], 'handover of epoch 1: its certificate is of another epoch'],
    ['another hash', [{ ...handovers[0], recordHash: to0x(new Uint8Array(32)) }], 'not what the serialization says'],
    ['more than a thousand', new Array(1025).fill(handovers[0]), '1025 handovers, at most 1024 at once'],
    ['no list', 7, 'no handovers'],
    ['text', ['0x00'], 'handover 1: '],
  ])('end at %s', (_, input, error) => {
    const committees = followed(0);
    const verdict = committees.follow(input);
    expect(verdict.ok ? '' : verdict.error).toContain(error);
    expect(committees.of(2)).toBeUndefined();
  });

  it('are fetched page by page', async () => {
    const asked: number[] = [];
    const client = {
      handovers: async (from: number) => {
        asked.push(from);
        return { items: handovers.slice(from, from + 2), next: from + 2 < EPOCHS ? from + 2 : null, malformed: [] };
      },
    };
    expect((await followEpochs(client, followed(0))).epoch).toBe(EPOCHS);
    expect(asked).toEqual([0, 2]);
    const lying = { handovers: async () => ({ items: [], next: 7, malformed: [] }) };
    expect((await followEpochs(lying, followed(1))).epoch).toBe(1);
    const forging = { handovers: async () => ({ items: [forged], next: null, malformed: [] }) };
    await expect(followEpochs(forging, followed(1))).rejects.toMatchObject({ code: 'malformed-answer' });
  });

  it('begin again at a pin of the newest, and not at another committee', () => {
    const pin = JSON.parse(JSON.stringify(followed(2).pin()));
    const view = (epoch: number) => ({
      members: (chain.records[epoch]?.members ?? []).map(({ weight, blsPublicKey }, index) => ({
        index,
        weight,
        peer: '',
        blsPublicKey: to0x(blsPublicKey),
      })),
    });
    const pinned = committeesOfPin(pin, view(2));
    if (!pinned.ok) throw new Error(pinned.error);
    expect(pinned.value.of(1)).toBeUndefined();
    expect(pinned.value.follow(handovers)).toMatchObject({ ok: true, value: { epoch: 3 } });
    expect(pinned.value.pin()).toEqual(followed(3).pin());
    expect(committeesOfPin(pin, view(1))).toEqual({ ok: false, error: 'the committee is not the pinned one' });
  });
});

describe('a proof of a later epoch', () => {
  it('is verified with the genesis file and the handovers in its answer', async () => {
    const proof = await proofOf(2);
    const verified = verifyProof({ ...proofToJson(proof), epochs: handovers.slice(0, 2) }, genesis);
    expect(verified.ok ? verified.value.steps.map(({ outcome }) => outcome) : verified.error).toEqual(
      new Array(8).fill('passed'),
    );
    expect(verifyProof(proof && proofToJson(proof), followed(2)).ok).toBe(true);
  });

  it('is refused without them, with forged ones, and with another committee', async () => {
    const json = proofToJson(await proofOf(2));
    const refused = (epochs: readonly unknown[]) => verifyProof({ ...json, epochs }, genesis);
    expect(refused([])).toMatchObject({ ok: false, error: { step: 'epochs' } });
    expect(refused([handovers[0], forged])).toMatchObject({ ok: false, error: { step: 'epochs' } });
    const { certificate } = await proofOf(1);
    const mixed = proofToJson({ ...(await proofOf(2)), certificate: { ...certificate } });
    expect(verifyProof(mixed, followed(2)).ok).toBe(false);
  });
});

describe('certificates, evidence and blame', () => {
  it('a certificate is verified with the committee of its epoch', async () => {
    const created = createCertificateVerifier(followed(1));
    if (!created.ok) throw new Error(created.error);
    const of = async (epoch: number) => certificateToJson((await proofOf(epoch)).certificate);
    expect(created.value.verify(await of(1)).ok).toBe(true);
    const unknown = created.value.verify(await of(2));
    expect(unknown.ok ? '' : unknown.error).toContain('the committee of epoch 2 is not known');
    const relabelled = created.value.verify({ ...(await of(1)), epoch: 0 });
    expect(relabelled.ok ? '' : relabelled.error).toContain('not a signature');
    created.value.committees.follow(handovers);
    expect(created.value.verify(await of(2)).ok).toBe(true);
  });

  const certify = async (epoch: number, digest: number, by: readonly number[]): Promise<Certificate> => {
    const at = chain.preimage(epoch, NO_RECORD);
    return chain.certify(epoch, { ...at, parentDigest: asId<StateDigest>(new Uint8Array(32).fill(digest)) }, by);
  };

  it('evidence is verified with the key of its epoch', () => {
    const vote = (epoch: number, block: number) => {
      const subject: Subject = {
        kind: 'notarize',
        epoch: (chain.records[epoch] as (typeof chain.records)[number]).epoch,
        view: view(9),
        blockId: asId(new Uint8Array(32).fill(block)),
      };
      const signature = chain.sign(epoch, 1, subjectMessage(chain.genesisHash, subject));
      return to0x(voteCodec.encode({ subject, signer: 1, signature }));
    };
    const evidence = { type: 'votes', epoch: 1, offender: 1, view: 9, first: vote(1, 1), second: vote(1, 2) };
    expect(verifyEvidence(evidence, followed(1))).toMatchObject({ ok: true, value: { epoch: 1, offender: 1 } });
    expect(verifyEvidence({ ...evidence, epoch: 0 }, followed(1))).toEqual({
      ok: false,
      error: 'the messages are of epoch 1, not 0',
    });
    expect(verifyEvidence(evidence, genesis)).toMatchObject({ ok: false });
    const across = verifyEvidence({ ...evidence, second: vote(2, 2) }, followed(2));
    expect(across.ok ? '' : across.error).toContain('an honest validator may sign');
  });

  it('blame names the committee of the epoch that forked, and the first such epoch alone', async () => {
    const side = async (digest: number, by: readonly number[]) =>
      Promise.all([1, 2].map(async (epoch) => certificateToJson(await certify(epoch, digest, by))));
    const verdict = blame(await side(1, [0, 1, 2]), await side(2, [1, 2, 3]), followed(2));
    expect(verdict).toMatchObject({
      ok: true,
      value: { epoch: 1, weight: 2, totalWeight: 4, pairs: [{ rule: 'I5' }] },
    });
    const key = to0x(chain.records[1]?.members[1]?.blsPublicKey ?? new Uint8Array(0));
    expect(verdict.ok && verdict.value.culprits[0]).toEqual({ index: 1, weight: 1, publicKey: key });
  });

  it('the newest final block is of the newest epoch, also below the last views of the one before', async () => {
    const at = async (epoch: number, block: number) => {
      const preimage = { ...chain.preimage(epoch, NO_RECORD), height: height(block) };
      return certificateToJson(await chain.certify(epoch, preimage));
    };
    const last = await at(1, 900);
    const verdict = blame([last, await at(2, 800)], [last, await at(2, 801)], followed(2));
    expect(verdict).toMatchObject({ ok: false, error: { reason: 'incomplete' } });
    expect(verdict.ok ? '' : verdict.error.message).toContain('is not shown');
  });

  it('final blocks of two epochs contradict nothing', async () => {
    const [first, second] = await Promise.all([certify(1, 1, [0, 1, 2]), certify(2, 2, [0, 1, 2])]);
    const verdict = blame(certificateToJson(first), certificateToJson(second), followed(2));
    expect(verdict).toMatchObject({
      ok: false,
      error: { reason: 'incomplete', needed: ['final blocks of epoch 1 from both sides'] },
    });
  });
});
