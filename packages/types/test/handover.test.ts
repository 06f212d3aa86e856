import { describe, expect, it } from 'vitest';
import { epochChain } from '../../crypto/test/epoch-chain.ts';
import {
  type CertifiedMember,
  certifiedCommittee,
  checkHandoverStructure,
  committeeOf,
  type EpochRecord,
  epoch,
  type Handover,
  handoverCodec,
  handoverOf,
  height,
  NO_RECORD,
  recordHashOf,
  recordHashOfHandover,
  type StateDigest,
  subjectMessage,
} from '../src/index.ts';

const chain = await epochChain('handovers', { members: 4, epochs: 2, rotations: (of) => (of === 0 ? 1 : 0) });
const { genesis, genesisHash, records } = chain;
const [zero, one, two] = records as [EpochRecord, EpochRecord, EpochRecord];
const [handover, unchanged] = chain.handovers as [Handover, Handover];
const committee = committeeOf(genesis);

describe('a handover', () => {
  it('leads to the weights and keys of the next record', () => {
    const step = checkHandoverStructure(handover, genesisHash, committee);
    expect(step).toMatchObject({ ok: true, value: { next: certifiedCommittee(epoch(1), one.members) } });
    if (!step.ok) return;
    const { statement, next } = step.value;
    expect(statement).toEqual({
      kind: 'aggregate',
      publicKeys: zero.members.slice(0, 3).map(({ blsPublicKey }) => blsPublicKey),
      message: subjectMessage(genesisHash, handover.certificate.subject),
      aggregate: handover.certificate.aggregate,
    });
    const last = checkHandoverStructure(unchanged, genesisHash, next);
    expect(last).toMatchObject({ ok: true, value: { next: certifiedCommittee(epoch(2), two.members) } });
  });

  it('has no members where they stay', () => {
    expect(handover.members).toEqual(one.members.map(({ weight, blsPublicKey }) => ({ weight, blsPublicKey })));
    expect(unchanged.members).toBeUndefined();
    expect(recordHashOfHandover(genesisHash, certifiedCommittee(epoch(1), one.members), unchanged)).toEqual(
      recordHashOf(genesisHash, two),
    );
  });

  it('has one encoding, of 632 bytes for 4 members and 5.4 kB for 100', async () => {
    const [large] = (await epochChain('large', { members: 100, epochs: 1 })).handovers as [Handover];
    const [small] = (await epochChain('small', { members: 4, epochs: 1, rotations: () => 4 })).handovers as [Handover];
    for (const each of [handover, unchanged, small, large]) {
      expect(handoverCodec.decode(handoverCodec.encode(each))).toEqual({ ok: true, value: each });
    }
    expect(handoverCodec.encode(small).length).toBeLessThanOrEqual(700);
    expect(handoverCodec.encode(large).length).toBeLessThanOrEqual(5500);
  });

  it('does not decode with another certificate than of a state', () => {
    const { subject } = handover.certificate;
    const certificate = { ...handover.certificate, subject: { ...subject, kind: 'finalize' } };
    const bytes = handoverCodec.encode({ ...handover, certificate } as unknown as Handover);
    expect(handoverCodec.decode(bytes).ok).toBe(false);
  });

  const { preimage, certificate } = handover;
  const others = one.members.map((member, i) => (i === 3 ? { ...member, weight: 2 } : member));
  it.each<[string, string, Handover]>([
    ['epoch', 'of another epoch', unchanged],
    [
      'digest',
      'of another digest',
      { ...handover, preimage: { ...preimage, parentDigest: new Uint8Array(32) as StateDigest } },
    ],
    [
      'digest',
      'of another height',
      { ...handover, certificate: { ...certificate, subject: { ...certificate.subject, height: height(7) } } },
    ],
    ['record', 'with another version', { ...handover, version: 2 }],
    ['record', 'with other parameters', { ...handover, parametersHash: new Uint8Array(32) }],
    ['record', 'with other fields of members', { ...handover, restHash: new Uint8Array(32) }],
    ['record', 'with another weight', { ...handover, members: others }],
    ['record', 'without its members', { ...handover, members: undefined }],
    ['quorum', 'with two signers of four', { ...handover, certificate: { ...certificate, signers: [0, 1] } }],
    [
      'quorum',
      'with a signer that does not exist',
      { ...handover, certificate: { ...certificate, signers: [0, 1, 2, 4] } },
    ],
  ])('fails by %s: one %s', (fault, _, bad) => {
    expect(checkHandoverStructure(bad, genesisHash, committee)).toEqual({ ok: false, error: fault });
  });

  it('fails before anything is sealed', async () => {
    const open = chain.preimage(0, NO_RECORD);
    const bad = handoverOf(zero, one, { preimage: open, certificate: await chain.certify(0, open) });
    expect(checkHandoverStructure(bad, genesisHash, committee)).toEqual({ ok: false, error: 'record' });
  });

  it('counts weights of its own epoch', () => {
    const heavy = (member: CertifiedMember, i: number) => ({ ...member, weight: i === 3 ? 100 : 1 });
    const weighted = certifiedCommittee(epoch(0), committee.members.map(heavy));
    expect(checkHandoverStructure(handover, genesisHash, weighted)).toEqual({ ok: false, error: 'quorum' });
  });
});
