import { to0x, utf8 } from '@slipstream/primitives';
import { proofToJson, transactionToJson } from '@slipstream/schema';
import { asId, genesisHashOf, genesisToJson, inclusionProofCodec, type TransactionId } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { buildTransaction, generateKeyPair, signTransaction, transfer, verifyProof } from '../src/index.ts';
import { flipBit, genesis, proveReceipt, receiptsOf } from './real-chain.ts';

const ids = [1, 2, 3, 4, 5].map((n) => asId<TransactionId>(new Uint8Array(32).fill(n)));
const receipts = receiptsOf(ids, 12);
const proof = proveReceipt(receipts, 2, { later: 2 });
const bytes = inclusionProofCodec.encode(proof);
const json = proofToJson(proof);
const genesisJson = genesisToJson(genesis);

describe('verifying a proof', () => {
  it('passes every step of a proof that a quorum signed', () => {
    const verified = verifyProof(bytes, genesisJson);
    expect(verified.ok).toBe(true);
    if (!verified.ok) return;
    expect(verified.value.receipt).toEqual(receipts[2]);
    expect(verified.value.steps.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'genesis passed',
      'form passed',
      'epochs passed',
      'receipt passed',
      'digests passed',
      'certificate passed',
      'quorum passed',
      'signature passed',
    ]);
  });

  it('accepts bytes, their text, JSON, and a whole answer that holds it', () => {
    const answer = { id: json.receipt.transactionId, status: 'final', height: 12, receipt: json.receipt, proof: json };
    for (const form of [to0x(bytes), json, JSON.parse(JSON.stringify(json)), answer]) {
      expect(verifyProof(form, genesisJson).ok).toBe(true);
    }
  });

  it('rejects the proof with any one bit changed', { timeout: 300_000 }, () => {
    const accepted: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      if (verifyProof(flipBit(bytes, bit), genesisJson).ok) accepted.push(bit);
    }
    expect(accepted).toEqual([]);
  });

  it('rejects JSON in which any field differs from the serialization', () => {
    const changes: [string, unknown][] = [
      ['receipt', { ...json.receipt, fee: '4' }],
      ['receipt', { ...json.receipt, status: 'failed' }],
      ['path', json.path.slice(1)],
      ['path', [...json.path.slice(1), json.path[0]]],
      ['preimages', json.preimages.slice(1)],
      ['certificate', { ...json.certificate, view: json.certificate.view + 1 }],
      ['certificate', { ...json.certificate, signers: [0, 1, 2] }],
      ['ssz', `${json.ssz.slice(0, -2)}00`],
      ['ssz', json.ssz.toUpperCase()],
      ['extra', 1],
    ];
    for (const [key, value] of changes) {
      const verdict = verifyProof({ ...json, [key]: value }, genesisJson);
      expect(verdict.ok ? key : 'refused').toBe('refused');
    }
  });

  it('accepts the content of a transaction only when its id is that of the receipt', () => {
    const key = generateKeyPair();
    const pay = (amount: bigint) =>
      signTransaction(
        buildTransaction({
          genesisHash: genesisHashOf(genesis),
          sender: key.account,
          expiryMs: 1_000,
          actions: [transfer(key.accountText, amount)],
        }),
        key,
      );
    const [paid, other] = [pay(5n), pay(5_000n)];
    const of = proofToJson(proveReceipt(receiptsOf([paid.transactionId], 12), 0));
    const answerWith = (transaction: unknown) => verifyProof({ id: paid.id, transaction, proof: of }, genesisJson);
    expect(answerWith(transactionToJson(paid.transaction)).ok).toBe(true);
    for (const claimed of [transactionToJson(other.transaction), null, {}]) {
      expect(answerWith(claimed)).toMatchObject({ ok: false, error: { step: 'form' } });
    }
  });

  it('rejects an answer whose transaction differs from its proof', () => {
    const base = { id: json.receipt.transactionId, status: 'final', height: 12, receipt: json.receipt, proof: json };
    const changes = [
      { id: to0x(ids[0] as Uint8Array) },
      { status: 'failed' },
      { height: 13 },
      { receipt: {} },
      { proof: null },
    ];
    for (const change of changes) expect(verifyProof({ ...base, ...change }, genesisJson).ok).toBe(false);
  });

  it('rejects a sound proof of another transaction than the requested one', () => {
    const [asked, proven] = [ids[1], ids[2]].map((id) => to0x(id as Uint8Array)) as [string, string];
    expect(verifyProof(json, genesisJson, proven).ok).toBe(true);
    expect(verifyProof(json, genesisJson, proven.toUpperCase().replace('X', 'x')).ok).toBe(true);
    expect(verifyProof(json, genesisJson, asked)).toMatchObject({ ok: false, error: { step: 'receipt' } });
  });

  it('names the step that fails, and leaves the later ones open', () => {
    const weak = inclusionProofCodec.encode(proveReceipt(receipts, 2, { signers: [0, 1] }));
    const verdict = verifyProof(weak, genesisJson);
    expect(verdict).toMatchObject({ ok: false, error: { step: 'quorum' } });
    if (verdict.ok) return;
    expect(verdict.error.steps.map(({ outcome }) => outcome)).toEqual([
      ...Array<string>(6).fill('passed'),
      'failed',
      'not-reached',
    ]);
  });

  it('rejects a proof of another chain at the digests or the certificate', () => {
    const other = genesisToJson({ ...genesis, chain: 'another-chain' });
    expect(verifyProof(bytes, other)).toMatchObject({ ok: false, error: { step: 'digests' } });
  });

  it('rejects malformed proofs and genesis files, with the reason', () => {
    for (const input of [undefined, null, 4, 'abc', {}, [], utf8('proof')]) {
      expect(verifyProof(input, genesisJson)).toMatchObject({ ok: false, error: { step: 'form' } });
    }
    expect(verifyProof(bytes, { chain: 1 })).toMatchObject({ ok: false, error: { step: 'genesis' } });
  });
});
