import type { Certificate } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import {
  BlockSchema,
  blockToJson,
  CertificateSchema,
  certificateToJson,
  createCheck,
  ProofSchema,
  proofToJson,
  ReceiptSchema,
  receiptToJson,
  TransactionSchema,
  transactionFromJson,
  transactionToJson,
} from '../src/index.ts';
import { block, proof, receipt, transaction } from './values.ts';

describe('chain values as JSON', () => {
  it('turns a transaction into JSON that fits its schema, and back into the same value', () => {
    const json = transactionToJson(transaction);
    expect(createCheck(TransactionSchema)(json)).toEqual({ ok: true, value: json });
    expect(transactionFromJson(json)).toEqual({ ok: true, value: transaction });
  });

  it('turns receipts, certificates and proofs into JSON that fits the schemas', () => {
    expect(createCheck(ReceiptSchema)(receiptToJson(receipt)).ok).toBe(true);
    expect(createCheck(ProofSchema)(proofToJson(proof)).ok).toBe(true);
    const { view, blockId } = proof.certificate.subject;
    const certificates: Certificate[] = [
      proof.certificate,
      { ...proof.certificate, subject: { kind: 'nullify', view } },
      { ...proof.certificate, subject: { kind: 'finalize', view, blockId } },
    ];
    for (const certificate of certificates) {
      expect(createCheck(CertificateSchema)(certificateToJson(certificate)).ok).toBe(true);
    }
  });

  it('turns a block into JSON that fits its schema', () => {
    expect(createCheck(BlockSchema)(blockToJson(block)).ok).toBe(true);
  });

  it('gives a reason for JSON that fits the schema and is no transaction all the same', () => {
    const json = transactionToJson(transaction);
    const tooMuch = transactionFromJson({ ...json, maxFee: '18446744073709551616' });
    expect(tooMuch).toEqual({ ok: false, error: expect.stringContaining('2^64') });
    const longName = transactionFromJson({
      ...json,
      actions: [{ kind: 'setData', name: 'é'.repeat(20), value: '0x' }],
    });
    expect(longName).toEqual({ ok: false, error: expect.stringContaining('28 bytes') });
  });

  it('names the place of each fault', () => {
    const checked = createCheck(TransactionSchema)({ ...transactionToJson(transaction), salt: '0x1', extra: 1 });
    expect(checked.ok).toBe(false);
    if (!checked.ok) expect(checked.error.map(({ path }) => path)).toContain('/salt');
  });
});
