/** State proofs with real signatures: what is accepted is what a quorum certified (R5, R8, R13 to R15). */
import { to0x } from '@slipstream/primitives';
import { stateProofToJson } from '@slipstream/schema';
import { type StateProof, stateProofCodec } from '@slipstream/state-tree/proofs';
import { epoch as epochOf, genesisToJson } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { isStateProof, stateKeys, verifyProof, verifyStateProof } from '../src/index.ts';
import { ALICE, AT, accountValue, BALANCE, BOB, LONG, proofOf } from './proven-state.ts';
import { flipBit, genesis } from './real-chain.ts';

const chain = genesisToJson(genesis);
const alice = stateKeys.account(ALICE);
const bob = stateKeys.account(BOB);
const colour = stateKeys.data(ALICE, 'colour');
const proof = proofOf([alice]);
const bytes = stateProofCodec.encode(proof);
const json = stateProofToJson(proof);

type Entry = StateProof['entries'][number];

/** With the first entry replaced in part. */
function changed(of: StateProof, entry: Partial<Entry>): StateProof {
  const [first, ...rest] = of.entries;
  return { ...of, entries: [{ ...(first as Entry), ...entry }, ...rest] };
}

const stepOf = (input: StateProof, keys: readonly Uint8Array[], options = {}) => {
  const verified = verifyStateProof(stateProofCodec.encode(input), chain, keys, options);
  return verified.ok ? 'passed' : verified.error.step;
};

describe('verifying state', () => {
  it('passes every step of a proof that a quorum signed, and gives what the key holds', () => {
    const verified = verifyStateProof(bytes, chain, [alice]);
    expect(verified).toMatchObject({
      ok: true,
      value: { height: AT, entries: [{ kind: 'account', account: ALICE, balance: BALANCE, exists: true }] },
    });
    if (!verified.ok) return;
    expect(verified.value.steps.map(({ outcome }) => outcome)).toEqual(Array(12).fill('passed'));
  });

  it('shows absent keys, and several keys of one height in their order', () => {
    const keys = [bob, colour, alice, stateKeys.data(ALICE, 'empty'), stateKeys.session(`0x${'ab'.repeat(32)}`)];
    const verified = verifyStateProof(stateProofCodec.encode(proofOf(keys)), chain, keys);
    expect(verified).toMatchObject({
      ok: true,
      value: {
        values: [undefined, Uint8Array.of(1, 2, 3), accountValue(BALANCE), new Uint8Array(0), undefined],
        entries: [
          { kind: 'account', account: BOB, balance: 0n, exists: false },
          { kind: 'data', account: ALICE, name: 'colour' },
          { kind: 'account' },
          { kind: 'data', name: 'empty' },
          { kind: 'session', record: undefined },
        ],
      },
    });
  });

  it('accepts bytes, their text, JSON, and an answer that agrees with its proof', () => {
    const answer = { account: ALICE, balance: BALANCE.toString(), exists: true, height: AT, proof: json };
    for (const form of [bytes, to0x(bytes), json, JSON.parse(JSON.stringify(json)), answer]) {
      expect(verifyStateProof(form, chain, [alice])).toMatchObject({ ok: true });
      expect(verifyStateProof(form, chain, [to0x(alice).toUpperCase().replace('0X', '0x')])).toMatchObject({
        ok: true,
      });
      expect(isStateProof(typeof form === 'string' ? bytes : form)).toBe(true);
    }
    for (const lie of [{ balance: '999' }, { exists: false }, { height: AT + 1 }, { account: BOB }, { index: 3 }]) {
      expect(verifyStateProof({ ...answer, ...lie }, chain)).toMatchObject({ ok: false, error: { step: 'claims' } });
    }
    expect(verifyStateProof({ ...json, entries: [{ ...json.entries[0], value: null }] }, chain)).toMatchObject({
      ok: false,
      error: { step: 'form' },
    });
  });

  it('R8: another value, a value where there is none and a false absence are refused', () => {
    expect(stepOf(changed(proof, { value: accountValue(BALANCE + 1n) }), [alice])).toBe('path');
    expect(stepOf(changed(proof, { value: undefined }), [alice])).toBe('value');
    expect(stepOf(changed(proofOf([bob]), { value: accountValue(1n) }), [bob])).toBe('value');
    const absent = proofOf([bob]).entries[0] as Entry;
    expect(stepOf(changed(proof, { value: undefined, path: absent.path }), [alice])).toBe('path');
  });

  it('R14: a proof of another key, of too few or too many keys, or in another order is refused', () => {
    expect(stepOf(proof, [bob])).toBe('keys');
    expect(stepOf(proof, [alice, bob])).toBe('keys');
    expect(stepOf(proofOf([alice, bob]), [alice])).toBe('keys');
    expect(stepOf(proofOf([alice, bob]), [bob, alice])).toBe('keys');
    expect(stepOf(changed(proof, { key: bob }), [bob])).toBe('path');
  });

  it('R5: a bucket passes for no node, and a node for no bucket', () => {
    const { path } = proof.entries[0] as Entry;
    const { place, siblings } = path;
    if (place.kind !== 'entry') throw new Error('alice has an entry');
    const countWord = new Uint8Array(32);
    countWord[0] = place.count;
    const lifted = { place, siblings: [...siblings.slice(0, -1), countWord] };
    expect(stepOf(changed(proof, { path: lifted }), [alice])).toBe('value');
    const lowered = { place: { kind: 'empty' } as const, siblings };
    expect(stepOf(changed(proof, { value: undefined, path: lowered }), [alice])).toBe('path');
  });

  it('R13: another height, chain or epoch, and too few signers are refused', () => {
    const other = proofOf([alice], { at: AT + 40 });
    expect(stepOf({ ...proof, certificate: other.certificate }, [alice])).toBe('certificate');
    expect(stepOf({ ...proof, preimages: proof.preimages.slice(0, 1) }, [alice])).toBe('certificate');
    expect(stepOf({ ...proof, preimages: [...proof.preimages].reverse() }, [alice])).toBe('path');
    expect(stepOf({ ...proof, preimages: [] }, [alice])).toBe('digests');
    expect(stepOf(proofOf([alice], { signers: [0, 1] }), [alice])).toBe('quorum');
    const { certificate } = proof;
    const subject = { ...certificate.subject, epoch: epochOf(1) };
    expect(stepOf({ ...proof, certificate: { ...certificate, subject } }, [alice])).toBe('epochs');
    const elsewhere = verifyStateProof(bytes, genesisToJson({ ...genesis, chain: 'another' }), [alice]);
    expect(elsewhere).toMatchObject({ ok: false });
  });

  it('R15: a proof below a known height is refused', () => {
    expect(stepOf(proof, [alice], { heightMin: AT })).toBe('passed');
    expect(stepOf(proof, [alice], { heightMin: AT + 1 })).toBe('height');
  });

  it('takes values of the largest size, and no more of them together than the bound', () => {
    const keys = (count: number) => Array.from({ length: count }, (_, i) => stateKeys.data(ALICE, `long ${i}`));
    const largest = proofOf(keys(4));
    expect(verifyStateProof(stateProofCodec.encode(largest), chain, keys(4))).toMatchObject({
      ok: true,
      value: { values: Array(4).fill(LONG) },
    });
    expect(() => stateProofCodec.encode(proofOf(keys(17)))).toThrow(/bytes/);
    expect(() => stateProofCodec.encode(changed(proof, { value: new Uint8Array(65_537) }))).toThrow();
  });

  it('rejects the proof with any one bit changed', { timeout: 300_000 }, () => {
    const accepted: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      if (verifyStateProof(flipBit(bytes, bit), chain, [alice]).ok) accepted.push(bit);
    }
    expect(accepted).toEqual([]);
    const absence = stateProofCodec.encode(proofOf([bob]));
    const preimagesAt = new DataView(absence.buffer, absence.byteOffset).getUint32(4, true);
    for (let bit = 0; bit < preimagesAt * 8; bit++) {
      if (verifyStateProof(flipBit(absence, bit), chain, [bob]).ok) accepted.push(bit);
    }
    expect(accepted).toEqual([]);
  });

  it.each([
    ['no key', { ...proof, entries: [] }],
    ['a key twice', { ...proof, entries: [...proof.entries, ...proof.entries] }],
    ['an empty key', changed(proof, { key: new Uint8Array(0) })],
  ])('a proof with %s has no form', (_, input) => {
    expect(stepOf(input, [alice])).toBe('form');
  });

  it.each([[undefined], [null], [7], ['text'], [{}], [{ proof: 3 }], [new Uint8Array(9)]])(
    '%s is no proof',
    (input) => {
      expect(verifyStateProof(input, chain)).toMatchObject({ ok: false, error: { step: 'form' } });
      expect(isStateProof(input)).toBe(false);
    },
  );

  it('proofs of receipts are none of state, and the other way round', () => {
    expect(verifyProof(json, chain)).toMatchObject({ ok: false, error: { step: 'form' } });
    expect(verifyStateProof(bytes, { chain: 'no genesis' })).toMatchObject({ ok: false, error: { step: 'genesis' } });
  });
});
