import { asId, type BlockId, blockIdOf, view } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createBlockTree } from '../src/block-tree.ts';
import { createCertificateStore } from '../src/certificate-store.ts';
import { createOwnRecord } from '../src/own-record.ts';
import { createProposalStore } from '../src/proposal-store.ts';
import {
  blockOn,
  certificateOf,
  certify,
  finalize,
  GENESIS,
  GENESIS_ID,
  notarize,
  nullify,
  proposalOf,
} from './core-world.ts';

const QUORUM = [0, 1, 2];
const block = blockOn(GENESIS, 1, 0);
const rival = blockOn(GENESIS, 1, 0, 1);

describe('the certificate store', () => {
  const newBook = () => createCertificateStore({ view: view(0), blockId: GENESIS_ID });

  it.each([notarize, finalize, certify])('a view is notarized by each certificate of its block', (subjectOf) => {
    const book = newBook();
    expect(book.add(certificateOf(subjectOf(block), QUORUM))).toBe(true);
    expect(book.add(certificateOf(subjectOf(block), QUORUM))).toBe(false);
    expect(book.notarized(view(1))?.blockId).toEqual(blockIdOf(block));
  });

  it('rejects two blocks of one view, and a view both finalized and nullified: more than a third is faulty then', () => {
    const book = newBook();
    book.add(certificateOf(finalize(block), QUORUM));
    expect(() => book.add(certificateOf(notarize(rival), QUORUM))).toThrow('at most one block');
    expect(() => book.add(certificateOf(nullify(1), QUORUM))).toThrow('never both finalized and nullified');
  });

  it('holds a notarization and a nullification of one view: that is legal', () => {
    const book = newBook();
    book.add(certificateOf(notarize(block), QUORUM));
    book.add(certificateOf(nullify(1), QUORUM));
    expect([book.nullified(view(1)), book.notarized(view(1)) !== undefined]).toEqual([true, true]);
  });

  it('finds the first view that is not nullified', () => {
    const book = newBook();
    for (const at of [2, 3, 5]) book.add(certificateOf(nullify(at), QUORUM));
    expect(book.firstGap(view(1), view(4))).toBeUndefined();
    expect(book.firstGap(view(1), view(7))).toBe(4);
  });

  it('of far views retains the highest (rule 9), and nothing below the window', () => {
    const book = newBook();
    for (const at of [1, 50, 100, 5000, 6000]) book.add(certificateOf(nullify(at), QUORUM));
    book.prune(view(10), view(200));
    expect([1, 50, 100, 5000, 6000].map((at) => book.nullified(view(at)))).toEqual([false, true, true, false, true]);
    expect(book.highest()?.view).toBe(6000);
  });
});

describe('the proposal store', () => {
  const candidateOf = (kind: 'optimistic' | 'normal', of: typeof block) => {
    const { signature, justification } = proposalOf(kind, of);
    return {
      kind,
      view: of.view,
      blockId: blockIdOf(of),
      block: of,
      signature,
      justification,
      verified: true,
      asked: true,
    };
  };

  it('the same block in both kinds is a confirmation', () => {
    const book = createProposalStore();
    book.add(candidateOf('optimistic', block));
    expect(book.confirmed(block.view, blockIdOf(block))).toBe(false);
    expect(book.add(candidateOf('normal', block)).type).toBe('new');
    expect(book.confirmed(block.view, blockIdOf(block))).toBe(true);
  });

  it('two of a kind, or two kinds on one parent, are equivocation', () => {
    const book = createProposalStore();
    book.add(candidateOf('optimistic', block));
    expect(book.add(candidateOf('optimistic', rival)).type).toBe('equivocation');
    expect(book.add(candidateOf('normal', rival)).type).toBe('equivocation');
    expect(book.candidates(block.view)).toHaveLength(1);
  });
});

describe('the own voting record', () => {
  it('throws before a contradiction is signed (I1, I2, I5)', () => {
    const own = createOwnRecord();
    own.decide(notarize(block));
    expect(() => own.decide(notarize(rival))).toThrow('I1');
    own.decide(finalize(block));
    expect(() => own.decide(nullify(1))).toThrow('I2');
    own.decide(nullify(2));
    expect(() => own.decide(finalize(blockOn(block, 2, 0)))).toThrow('I2');
    expect(() => own.decide(notarize(blockOn(block, 2, 0)))).toThrow('rule 4');
    own.decide(certify(block));
    expect(() => own.decide(certify(block))).toThrow('I5');
    expect(() => own.decide(certify(rival))).toThrow('I5');
    expect([block, rival].map((each) => own.hasCertified(each.view, blockIdOf(each)))).toEqual([true, false]);
    own.decideProposal(view(3), 'normal', blockIdOf(block));
    expect(() => own.decideProposal(view(3), 'normal', blockIdOf(rival))).toThrow('one normal proposal');
  });
});

describe('the block tree', () => {
  it('returns the path, the first missing body, or the fork', () => {
    const tree = createBlockTree(GENESIS_ID, GENESIS, 0);
    const child = blockOn(block, 2, 1);
    const first = tree.add(blockIdOf(block), block, 0);
    expect(tree.pathFromRoot(blockIdOf(child))).toEqual({ missing: blockIdOf(child) });
    tree.add(blockIdOf(child), child, 0);
    const found = tree.pathFromRoot(blockIdOf(child));
    expect('path' in found && found.path.map((entry) => entry.block.view)).toEqual([1, 2]);
    tree.add(blockIdOf(rival), rival, 0);
    tree.setRoot(first);
    expect('fork' in tree.pathFromRoot(blockIdOf(rival))).toBe(true);
    expect(tree.prune(view(0)).map(({ id }) => id)).toEqual([blockIdOf(rival)]);
    expect(tree.get(asId<BlockId>(blockIdOf(rival)))).toBeUndefined();
  });
});
