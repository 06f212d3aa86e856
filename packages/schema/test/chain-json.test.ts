import type { Certificate } from '@slipstream/types';
import { GENESIS_EPOCH } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import {
  BlockSchema,
  blockFromJson,
  blockToJson,
  type CertificateJson,
  CertificateSchema,
  certificateFromJson,
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
  it('encodes a transaction as JSON that matches its schema, and decodes the same value', () => {
    const json = transactionToJson(transaction);
    expect(createCheck(TransactionSchema)(json)).toEqual({ ok: true, value: json });
    expect(transactionFromJson(json)).toEqual({ ok: true, value: transaction });
  });

  it('encodes receipts, certificates and proofs as JSON that matches the schemas', () => {
    expect(createCheck(ReceiptSchema)(receiptToJson(receipt)).ok).toBe(true);
    expect(createCheck(ProofSchema)(proofToJson(proof)).ok).toBe(true);
    const { view, blockId } = proof.certificate.subject;
    const certificates: Certificate[] = [
      proof.certificate,
      { ...proof.certificate, subject: { kind: 'nullify', epoch: GENESIS_EPOCH, view } },
      { ...proof.certificate, subject: { kind: 'finalize', epoch: GENESIS_EPOCH, view, blockId } },
    ];
    for (const certificate of certificates) {
      const json = certificateToJson(certificate);
      expect(createCheck(CertificateSchema)(json).ok).toBe(true);
      expect(certificateFromJson(json)).toEqual({ ok: true, value: certificate });
    }
  });

  it('encodes a block as JSON that matches its schema, and decodes the same block', () => {
    const json = blockToJson(block);
    expect(createCheck(BlockSchema)(json).ok).toBe(true);
    expect(blockFromJson(json)).toEqual({ ok: true, value: block });
  });

  it('refuses a block whose id is not its hash', () => {
    expect(blockFromJson({ ...blockToJson(block), height: 77 })).toMatchObject({ ok: false });
  });

  it('refuses a certificate with the fields of another kind, or with signers out of order', () => {
    const json = certificateToJson(proof.certificate);
    const { height, stateDigest, ...rest } = json;
    const changes: readonly CertificateJson[] = [
      { ...json, kind: 'finalize' },
      { ...json, kind: 'nullify' },
      { ...rest, kind: 'nullify' },
      { ...rest, kind: 'certify' },
      { ...rest, kind: 'notarize', signers: [1, 0] },
      { ...rest, kind: 'notarize', signers: [1, 1] },
    ];
    for (const changed of changes) expect(certificateFromJson(changed).ok, JSON.stringify(changed)).toBe(false);
    expect(certificateFromJson({ ...rest, kind: 'notarize' }).ok).toBe(true);
  });

  it('gives the reason for JSON that matches the schema and is no valid transaction', () => {
    const json = transactionToJson(transaction);
    const tooMuch = transactionFromJson({ ...json, maxFee: '18446744073709551616' });
    expect(tooMuch).toEqual({ ok: false, error: expect.stringContaining('2^64') });
    const longName = transactionFromJson({
      ...json,
      actions: [{ kind: 'setData', name: 'é'.repeat(20), value: '0x' }],
    });
    expect(longName).toEqual({ ok: false, error: expect.stringContaining('28 bytes') });
  });

  it('names the path of each fault', () => {
    const checked = createCheck(TransactionSchema)({ ...transactionToJson(transaction), salt: '0x1', extra: 1 });
    expect(checked.ok).toBe(false);
    if (!checked.ok) expect(checked.error.map(({ path }) => path)).toContain('/salt');
  });
});
