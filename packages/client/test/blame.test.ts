import { to0x } from '@slipstream/primitives';
import { certificateToJson, proofToJson } from '@slipstream/schema';
import {
  type Block,
  blockCodec,
  type Certificate,
  certificateCodec,
  genesisToJson,
  proposalCodec,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { blame } from '../src/index.ts';
import { answerOf, blockOf, certify, finalize, forkedChain, notarize, nullify, viewOf } from './forked-chain.ts';
import { flipBit, genesis as otherGenesis, proveReceipt, receiptsOf } from './real-chain.ts';

/** Members 0 and 1 of four are corrupt; 2 and 3 are honest and see one side each. */
const { genesis, sign } = forkedChain([1, 1, 1, 1]);
const ONE = [0, 1, 2];
const OTHER = [0, 1, 3];

const block = blockOf('one', 7);
const rival = blockOf('a rival', 7);
/** The rival chain passes view 7 over, or builds on the rival block in it. */
const child = blockOf('child', 8, { ...blockOf('parent', 6), view: block.parentView });
const grandchild = blockOf('grandchild', 9, child);
const onRival = blockOf('child of the rival', 8, rival);

const finalization = await sign(finalize(block), ONE);
const laterFinalization = await sign(finalize(grandchild), OTHER);
const nullification = await sign(nullify(7), OTHER);

const json = certificateToJson;
const record = (kind: string, payload: Uint8Array) => ({ type: 'record', kind, payload: to0x(payload) });

function culpritsOf(first: unknown, second: unknown): readonly number[] | string {
  const verdict = blame(first, second, genesis);
  return verdict.ok ? verdict.value.culprits.map(({ index }) => index) : verdict.error.reason;
}

function neededBy(first: unknown, second: unknown): readonly string[] {
  const verdict = blame(first, second, genesis);
  expect(verdict).toMatchObject({ ok: false, error: { reason: 'incomplete' } });
  return verdict.ok ? [] : verdict.error.needed;
}

const idOf = (of: Block) => viewOf(of).block.id;

describe('a fork in one view', () => {
  it.each([
    ['I1', 'two notarized blocks', notarize(block), notarize(rival)],
    ['rule 6', 'two finalized blocks', finalize(block), finalize(rival)],
    ['I2', 'a finalized and nullified view', finalize(block), nullify(7)],
    ['I2', 'a nullified and finalized view', nullify(7), finalize(block)],
    ['I5', 'two states of one block', certify(block, 'one'), certify(block, 'other')],
    ['I5', 'two certified blocks', certify(block, 'one'), certify(rival, 'other')],
  ])('names by %s the signers of both of %s, with key and certificates', async (rule, _, a, b) => {
    const [first, second] = [await sign(a, ONE), await sign(b, OTHER)];
    const verdict = blame(json(first), json(second), genesis);
    expect(verdict).toMatchObject({
      ok: true,
      value: {
        weight: 2,
        totalWeight: 4,
        pairs: [{ rule, first: json(first), second: json(second), culprits: [0, 1] }],
      },
    });
    if (!verdict.ok) return;
    expect(verdict.value.culprits.map(({ index, weight }) => [index, weight])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    for (const { publicKey } of verdict.value.culprits) expect(publicKey).toMatch(/^0x[0-9a-f]{96}$/);
  });

  it.each([
    ['one certificate with other signers', finalize(block), finalize(block)],
    ['a notarized block in a nullified view (rule 5)', notarize(block), nullify(7)],
    ['a certified block in a nullified view (rule 8)', certify(block, 'one'), nullify(7)],
    ['a block notarized, finalized and certified', notarize(block), certify(block, 'one')],
    ['two nullified views', nullify(7), nullify(8)],
  ])('names no validator for %s: an honest one signs both', async (_, a, b) => {
    expect(culpritsOf(json(await sign(a, ONE)), json(await sign(b, OTHER)))).toBe('no-conflict');
  });

  it.each([
    ['finalized and the other notarized', finalize(block), notarize(rival), [block]],
    ['finalized and the other certified', finalize(block), certify(rival, 'other'), [block, rival]],
  ])('of two blocks, one %s, needs the notarizations', async (_, a, b, missing) => {
    const [first, second] = [await sign(a, ONE), await sign(b, OTHER)];
    const needed = missing.map((each) => `the notarization of block ${idOf(each)} of view 7`);
    expect(neededBy(json(first), json(second))).toEqual(needed);
    const notarized = [json(await sign(notarize(block), ONE)), json(await sign(notarize(rival), OTHER))];
    expect(culpritsOf([json(first), notarized[0]], [json(second), notarized[1]])).toEqual([0, 1]);
  });
});

describe('a fork over several views', () => {
  it('requests the blocks down to the view, then its nullification, then names the signers of both (I2)', () => {
    const one = answerOf(block, finalization);
    const other: unknown[] = [answerOf(grandchild, laterFinalization)];
    expect(neededBy(one, other)).toEqual([`block ${idOf(grandchild)}`]);
    other.push(viewOf(grandchild));
    expect(neededBy(one, other)).toEqual([`block ${idOf(child)}`]);
    other.push(viewOf(child));
    expect(neededBy(one, other)).toEqual([
      `the nullification of view 7: the honest validators that notarized block ${idOf(child)} held it`,
    ]);
    other.push(json(nullification));
    expect(culpritsOf(one, other)).toEqual([0, 1]);
    expect(culpritsOf(other, one)).toEqual([0, 1]);
  });

  it('requests the notarizations when the other chain has another block in the view (I1)', async () => {
    const one = [json(finalization), json(await sign(notarize(block), ONE))];
    const other: unknown[] = [json(await sign(finalize(onRival), OTHER)), viewOf(onRival)];
    expect(neededBy(one, other)).toEqual([`the notarization of block ${idOf(rival)} of view 7`]);
    other.push(json(await sign(notarize(rival), OTHER)));
    expect(culpritsOf(one, other)).toEqual([0, 1]);
  });

  it('requests the finalization when a state certificate alone shows that a block is final (rule 8)', async () => {
    const one = answerOf(block, null, await sign(certify(block, 'one'), ONE));
    const other = [json(laterFinalization), viewOf(grandchild), viewOf(child), json(nullification)];
    expect(neededBy(one, other)[0]).toContain(`the finalization of block ${idOf(block)}`);
    expect(culpritsOf([one, json(finalization)], other)).toEqual([0, 1]);
  });

  it('names no validator for two final blocks of one chain', async () => {
    const later = blockOf('next', 8, block);
    const other = [json(await sign(finalize(later), OTHER)), viewOf(later)];
    expect(culpritsOf(json(finalization), other)).toBe('no-conflict');
  });

  it('reads the relevant log records and skips those of other kinds', () => {
    const proposal = {
      kind: 'normal',
      block: child,
      justification: [nullification],
      signature: new Uint8Array(192),
    } as const;
    const log = [
      { type: 'segment', file: 'wal/1' },
      record('certificate', certificateCodec.encode(laterFinalization)),
      record('proposal', blockCodec.encode(grandchild)),
      record('own-proposal', proposalCodec.encode(proposal)),
      record('chunk', new Uint8Array(3)),
      { type: 'damage', file: 'wal/1' },
    ];
    expect(culpritsOf(certificateCodec.encode(finalization), log)).toEqual([0, 1]);
    expect(culpritsOf(to0x(certificateCodec.encode(finalization)), log)).toEqual([0, 1]);
  });
});

describe('no proof', () => {
  const refused = (first: unknown, second: unknown) => expect(culpritsOf(first, second));

  it('is a certificate that its listed signers did not sign', async () => {
    const forgeries: readonly Certificate[] = [
      { ...nullification, signers: [0, 2, 3] },
      { ...nullification, signers: [0, 1, 2, 3] },
      { ...nullification, aggregate: finalization.aggregate },
      { ...nullification, aggregate: flipBit(nullification.aggregate, 300) },
      await sign(nullify(7), [0, 1]),
    ];
    for (const forged of forgeries) refused(json(finalization), json(forged)).toBe('forged');
  });

  it('is a forged certificate beside the missing one, which it does not replace', () => {
    const forged = { ...nullification, signers: [0, 2, 3] };
    const other = [json(laterFinalization), viewOf(grandchild), viewOf(child), json(forged)];
    const verdict = blame(json(finalization), other, genesis);
    expect(verdict).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('passed over: 0/nullify/7') },
    });
    expect(culpritsOf(json(finalization), [...other, json(nullification)])).toEqual([0, 1]);
  });

  it('is a certificate of another chain, or any without the genesis file', () => {
    const verdict = blame(json(finalization), json(nullification), genesisToJson(otherGenesis));
    expect(verdict).toMatchObject({ ok: false, error: { reason: 'forged' } });
    for (const none of [undefined, {}, 'genesis']) {
      expect(blame(json(finalization), json(nullification), none)).toMatchObject({
        ok: false,
        error: { reason: 'genesis' },
      });
    }
  });

  it('is a block whose id is not its hash, and an answer whose certificate is of another block', () => {
    const { block: header } = viewOf(child);
    refused(json(finalization), { ...header, parentView: 7 }).toBe('malformed');
    refused(json(finalization), answerOf(rival, finalization)).toBe('malformed');
  });

  it('is any other input, and none throws', () => {
    const { signers, ...unsigned } = json(nullification);
    for (const other of [
      undefined,
      null,
      7,
      'text',
      '0x',
      '0x0102',
      {},
      [],
      [[]],
      viewOf(child),
      answerOf(block, null),
      [null],
      { type: 'foo' },
      { block: {} },
      { proof: 7 },
      { parentId: 1 },
      { finalization: 1 },
      unsigned,
      { ...unsigned, signers: [...signers].reverse() },
      record('certificate', new Uint8Array(9)),
      new Uint8Array(9),
      Array.from({ length: 40_000 }, () => 0),
    ]) {
      refused(json(finalization), other).toBe('malformed');
      refused(other, json(finalization)).toBe('malformed');
    }
  });

  it('is a receipt proof against itself; its state certificate is checked for the fork', () => {
    const proof = proofToJson(
      proveReceipt(
        receiptsOf(
          [otherGenesis, 2, 3].map((_, i) => idAt(i)),
          12,
        ),
        1,
      ),
    );
    const verdict = blame(
      proof,
      { id: proof.receipt.transactionId, status: 'final', proof },
      genesisToJson(otherGenesis),
    );
    expect(verdict).toMatchObject({ ok: false, error: { reason: 'no-conflict' } });
  });
});

function idAt(fill: number) {
  return new Uint8Array(32).fill(fill) as Parameters<typeof receiptsOf>[0][number];
}
