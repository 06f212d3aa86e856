/** Outcomes in runs, the trees, and proofs of rows: what is proven is what ran, and nothing else. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  areRowsOf,
  type BatchLeaf,
  batchesRootOf,
  batchIdOf,
  checkRowProof,
  columnsOf,
  decodeOutcomes,
  encodeOutcomes,
  failureByte,
  makeRowProof,
  outcomeOf,
  outcomesRootOf,
  proveRows,
  rowAt,
  rowIdOf,
  rowProofCodec,
  rowsRootOf,
  skipByte,
} from '../src/index.ts';
import { anyRows } from './random-batches.ts';
import { GENESIS, headerOf, OTHER_GENESIS, ringOf } from './world.ts';

const OUTCOMES = [0, failureByte('insufficient-balance'), failureByte('balance-overflow'), skipByte('sequence-used')];
const outcomeBytes = fc
  .array(fc.constantFrom(...OUTCOMES), { minLength: 1, maxLength: 200 })
  .map((all) => Uint8Array.from(all));

describe('stored outcomes', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(outcomeBytes, (outcomes) => {
        expect(decodeOutcomes(encodeOutcomes(outcomes), outcomes.length)).toEqual({ ok: true, value: outcomes });
      }),
    );
  });

  it('take three bytes for a batch in which all is well', () => {
    expect(encodeOutcomes(new Uint8Array(8192))).toEqual(Uint8Array.of(0, 0x80, 0x40));
  });

  it.each([
    ['unknown-outcome', [127, 4]],
    ['bad-length', [0, 0, 1, 4]],
    ['bad-length', [0, 0x84, 0]],
    ['bad-length', [0]],
    ['not-joined', [0, 2, 0, 2]],
    ['wrong-count', [0, 3]],
    ['wrong-count', [0, 2, 1, 3]],
    ['wrong-count', []],
  ])('are refused as %s: %j', (fault, bytes) => {
    expect(decodeOutcomes(Uint8Array.from(bytes), 4)).toEqual({ ok: false, error: fault });
  });
});

describe('the row tree', () => {
  it('has each row under its root, and no other row, place or root', () => {
    fc.assert(
      fc.property(anyRows, fc.nat(), fc.nat(), (rows, at, bit) => {
        const columns = columnsOf(rows);
        const header = headerOf(rows);
        const proof = proveRows(columns, at % rows.length);
        expect(areRowsOf(header, proof)).toBe(true);
        expect(areRowsOf({ ...header, rows: rows.length + 16 }, proof)).toBe(false);
        expect(areRowsOf(header, { ...proof, first: proof.first + 16 })).toBe(false);
        const damaged = proof.rows.slice();
        const place = (bit >> 3) % damaged.length;
        damaged[place] = (damaged[place] as number) ^ (1 << (bit & 7));
        expect(areRowsOf(header, { ...proof, rows: damaged })).toBe(false);
      }),
    );
  });
});

/** Three batches of a block; the proofs are of the second. */
function blockWith(count: number) {
  const rows = ringOf(count);
  const outcomes = Uint8Array.from(rows, (_, i) => OUTCOMES[i % 7 === 3 ? 1 : 0] as number);
  const leafOf = (of: typeof rows, firstIndex: number): BatchLeaf => ({
    header: headerOf(of, { number: firstIndex }),
    rowFee: 20n,
    stragglerFee: 0n,
    firstIndex,
    outcomesRoot: outcomesRootOf(of === rows ? outcomes : new Uint8Array(of.length)),
  });
  const leaves = [leafOf(ringOf(2), 0), leafOf(rows, 2), leafOf(ringOf(3), 2 + count)];
  const source = { rows: columnsOf(rows), outcomes, leaves, batch: 1 };
  return { rows, outcomes, leaves, source, batchId: batchIdOf(GENESIS, (leaves[1] as BatchLeaf).header) };
}

describe('the proof of a row', () => {
  const { rows, outcomes, leaves, source, batchId } = blockWith(100);
  const root = { batchesRoot: batchesRootOf(leaves), batches: leaves.length };

  it('proves each row with its outcome, place and header', () => {
    for (const position of rows.keys()) {
      const proof = makeRowProof(source, position);
      const decoded = rowProofCodec.decode(rowProofCodec.encode(proof));
      expect(decoded).toEqual({ ok: true, value: proof });
      const question = { genesisHash: GENESIS, rowId: rowIdOf(batchId, position), ...root };
      expect(checkRowProof(proof, question)).toEqual({
        ok: true,
        value: {
          row: rowAt(source.rows, position),
          outcome: outcomeOf(outcomes[position] as number),
          leaf: leaves[1],
          index: 2 + position,
        },
      });
    }
  });

  it('fails with any bit flipped', () => {
    const position = 37;
    const question = { genesisHash: GENESIS, rowId: rowIdOf(batchId, position), ...root };
    const bytes = rowProofCodec.encode(makeRowProof(source, position));
    expect(bytes.length).toBeLessThan(1_100);
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const damaged = bytes.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      const decoded = rowProofCodec.decode(damaged);
      if (decoded.ok) expect([bit, checkRowProof(decoded.value, question).ok]).toEqual([bit, false]);
    }
  });

  it('fails for each other question: row, batch, chain and block', () => {
    const proof = makeRowProof(source, 37);
    const question = { genesisHash: GENESIS, rowId: rowIdOf(batchId, 37), ...root };
    const faultOf = (change: Partial<typeof question>) => checkRowProof(proof, { ...question, ...change });
    expect(faultOf({}).ok).toBe(true);
    // A neighbour in the same leaves is proven as itself, and one in other leaves is not.
    expect(faultOf({ rowId: rowIdOf(batchId, 36) })).toMatchObject({ ok: true, value: { row: rows[36] } });
    expect(faultOf({ rowId: rowIdOf(batchId, 50) })).toEqual({ ok: false, error: 'row' });
    expect(faultOf({ rowId: rowIdOf(batchId, 100) })).toEqual({ ok: false, error: 'id' });
    expect(faultOf({ rowId: rowIdOf(new Uint8Array(32), 37) })).toEqual({ ok: false, error: 'id' });
    expect(faultOf({ genesisHash: OTHER_GENESIS })).toEqual({ ok: false, error: 'id' });
    expect(faultOf({ batchesRoot: batchesRootOf(leaves.slice(0, 2)) })).toEqual({ ok: false, error: 'batch' });
  });

  it('does not take outcomes of other rows of the batch', () => {
    const question = { genesisHash: GENESIS, rowId: rowIdOf(batchId, 37), ...root };
    const others = makeRowProof(source, 70).outcomes;
    expect(checkRowProof({ ...makeRowProof(source, 37), outcomes: others }, question)).toEqual({
      ok: false,
      error: 'outcome',
    });
  });

  it('holds for batches of one row, of a full leaf, and of one more', () => {
    for (const count of [2, 16, 17, 64, 65]) {
      const block = blockWith(count);
      const position = count - 1;
      const question = {
        genesisHash: GENESIS,
        rowId: rowIdOf(block.batchId, position),
        batchesRoot: batchesRootOf(block.leaves),
        batches: block.leaves.length,
      };
      expect(checkRowProof(makeRowProof(block.source, position), question).ok).toBe(true);
    }
    expect(rowsRootOf(columnsOf(ringOf(16)))).not.toEqual(rowsRootOf(columnsOf(ringOf(17))));
  });

  it('holds for the number of batches of its block alone', () => {
    const proof = makeRowProof(source, 37);
    const question = { genesisHash: GENESIS, rowId: rowIdOf(batchId, 37), ...root };
    for (const batches of [1, 2, 5]) {
      expect(checkRowProof(proof, { ...question, batches })).toEqual({ ok: false, error: 'batch' });
    }
  });
});
