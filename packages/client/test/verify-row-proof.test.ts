/** Rows of distilled batches, proven with real signatures: what is accepted is what a quorum certified (Z12). */
import { certifiedRowProofCodec } from '@slipstream/distilled';
import { to0x } from '@slipstream/primitives';
import { genesisToJson } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { verifyProof, verifyRowProof } from '../src/index.ts';
import { AT, batchId, blockIdOfRows, idOf, leaf, proofJsonOf, proofOf } from './certified-rows.ts';
import { flipBit, genesis, proveReceipt, receiptsOf } from './real-chain.ts';

const chain = genesisToJson(genesis);
const bytes = certifiedRowProofCodec.encode(proofOf(37));
const json = proofJsonOf(37);

/** The answer of GET /v1/transactions/{row id}. */
const answerOf = (position: number, outcome: object, fee: string, status: string) => {
  const { row } = proofJsonOf(position);
  const place = {
    batchId: to0x(batchId),
    position,
    height: AT,
    blockId: blockIdOfRows(),
    index: leaf.firstIndex + position,
  };
  const accounts = { sender: `0x01${'11'.repeat(32)}`, recipient: `0x01${'22'.repeat(32)}` };
  return {
    id: idOf(position),
    status,
    height: AT,
    row: { ...place, ...accounts, ...row, straggler: false, outcome, fee },
  };
};
const answer = answerOf(37, { status: 'success' }, '20', 'final');

describe('verifying a row', () => {
  it('passes every step of a proof that a quorum signed, and gives the row', () => {
    const verified = verifyRowProof(bytes, chain, idOf(37));
    expect(verified).toMatchObject({
      ok: true,
      value: {
        rowId: idOf(37),
        batchId,
        position: 37,
        height: AT,
        index: leaf.firstIndex + 37,
        row: { sender: 37, recipient: 38, amount: 47n, sequence: 1 },
        outcome: { status: 'success' },
        leaf: { rowFee: 20n },
      },
    });
    if (!verified.ok) return;
    expect(verified.value.steps.map(({ outcome }) => outcome)).toEqual(Array(11).fill('passed'));
  });

  it('accepts bytes, their text, JSON, and a whole answer around it, with any case of the id', () => {
    for (const form of [bytes, to0x(bytes), json, JSON.parse(JSON.stringify(json)), { ...answer, proof: json }]) {
      expect(verifyRowProof(form, chain, idOf(37).toUpperCase().replace('0X', '0x'))).toMatchObject({ ok: true });
    }
    expect(verifyRowProof(json, chain)).toMatchObject({ ok: true, value: { position: 37 } });
    expect(verifyRowProof(bytes, chain)).toMatchObject({ ok: false, error: { step: 'form' } });
  });

  it('proves failed and skipped rows, whose fee is one of the two of the leaf, or none', () => {
    const failed = answerOf(3, { status: 'failed', code: 'insufficient-balance' }, '20', 'failed');
    const skipped = answerOf(4, { status: 'skipped', reason: 'sequence-used' }, '0', 'skipped');
    for (const said of [failed, skipped]) {
      const { position } = said.row;
      expect(verifyRowProof({ ...said, proof: proofJsonOf(position) }, chain, said.id)).toMatchObject({ ok: true });
    }
    const straggler = { ...failed, row: { ...failed.row, straggler: true, fee: '90' } };
    expect(verifyRowProof({ ...straggler, proof: proofJsonOf(3) }, chain, straggler.id)).toMatchObject({ ok: true });
  });

  it('rejects the proof with any one bit changed', { timeout: 300_000 }, () => {
    const accepted: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      if (verifyRowProof(flipBit(bytes, bit), chain, idOf(37)).ok) accepted.push(bit);
    }
    expect(accepted).toEqual([]);
  });

  it('rejects the proof of another row, batch, chain and kind', () => {
    const stepOf = (proof: unknown, genesisFile: unknown, id: string) => {
      const verdict = verifyRowProof(proof, genesisFile, id);
      return verdict.ok ? 'ok' : verdict.error.step;
    };
    expect(stepOf(json, chain, idOf(36))).toBe('form');
    expect(stepOf(bytes, chain, idOf(80))).toBe('row');
    expect(stepOf(bytes, chain, idOf(100))).toBe('batch');
    expect(stepOf(bytes, chain, `0x${'ab'.repeat(32)}`)).toBe('batch');
    expect(stepOf(bytes, genesisToJson({ ...genesis, chain: 'another' }), idOf(37))).toBe('batch');
    expect(stepOf(bytes, 'no genesis', idOf(37))).toBe('genesis');
    const plain = proveReceipt(receiptsOf([], AT).concat(receiptsOf([batchId as never], AT)), 0);
    const { preimages, certificate } = plain;
    expect(stepOf(certifiedRowProofCodec.encode({ ...proofOf(37), preimages, certificate }), chain, idOf(37))).toBe(
      'batch',
    );
    expect(stepOf(certifiedRowProofCodec.encode({ ...proofOf(37), preimages: [] }), chain, idOf(37))).toBe('batch');
    expect(verifyProof(json, chain, idOf(37))).toMatchObject({ ok: false, error: { step: 'form' } });
    for (const input of [undefined, null, 7, '', '0xZZ', {}, { proof: 4 }, []])
      expect(stepOf(input, chain, idOf(37))).toBe('form');
    expect(stepOf(bytes, chain, 'row 37')).toBe('form');
  });

  it('gives the row of the asked id when a neighbour of the same leaf is proven by the same bytes', () => {
    const verified = verifyRowProof(bytes, chain, idOf(36));
    expect(verified).toMatchObject({ ok: true, value: { position: 36, row: { sender: 36 } } });
  });

  it('rejects JSON in which any field differs from what the serialization shows', () => {
    const changes: readonly [string, unknown][] = [
      ['batchId', to0x(new Uint8Array(32))],
      ['position', 36],
      ['header', { ...json.header, feeCap: '1001' }],
      ['rowFee', '21'],
      ['stragglerFee', '91'],
      ['firstIndex', 3],
      ['row', { ...json.row, amount: '48' }],
      ['row', { ...json.row, recipientIndex: 1 }],
      ['outcome', { status: 'failed', code: 'balance-overflow' }],
      ['outcome', { status: 'skipped', reason: 'expired' }],
      ['preimages', json.preimages.slice(1)],
      ['certificate', { ...json.certificate, view: 1 }],
      ['ssz', json.ssz.toUpperCase()],
      ['extra', 1],
    ];
    for (const [key, value] of changes) {
      expect([key, verifyRowProof({ ...json, [key]: value }, chain, idOf(37)).ok]).toEqual([key, false]);
    }
  });

  it('rejects an answer whose fields differ from the proof', () => {
    const changes: readonly (readonly [string, object])[] = [
      ['id', { id: idOf(36) }],
      ['status', { status: 'failed' }],
      ['height', { height: AT + 1 }],
      ...Object.entries({
        batchId: to0x(new Uint8Array(32)),
        position: 36,
        senderIndex: 36,
        recipientIndex: 36,
        amount: '470',
        sequence: 2,
        tag: 9,
        outcome: { status: 'failed', code: 'balance-overflow' },
        height: AT + 1,
        blockId: to0x(new Uint8Array(32)),
        index: 1,
        fee: '90',
        straggler: true,
        other: 1,
      }).map(([key, value]) => [`row ${key}`, { row: { ...answer.row, [key]: value } }] as const),
    ];
    for (const [what, change] of changes) {
      const verdict = verifyRowProof({ ...answer, ...change, proof: json }, chain, idOf(37));
      expect([what, verdict.ok ? 'ok' : verdict.error.step]).toEqual([what, 'claims']);
    }
    expect(verifyRowProof({ ...answer, row: 7, proof: json }, chain, idOf(37))).toMatchObject({ ok: false });
  });
});
