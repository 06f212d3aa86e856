/** Random rows and batches with edge values, without sound signatures. */
import fc from 'fast-check';
import { type Batch, columnsOf, type Row, type Straggler } from '../src/index.ts';
import { headerOf } from './world.ts';

const u32 = fc.oneof(fc.nat(200), fc.constantFrom(0, 127, 128, 2 ** 14, 2 ** 28, 2 ** 31, 2 ** 32 - 1));
const u64 = fc.oneof(
  fc.bigInt(0n, 300n),
  fc.bigInt(0n, 2n ** 64n - 1n),
  fc.constantFrom(2n ** 32n, 2n ** 63n, 2n ** 64n - 1n),
);

const anyRow: fc.Arbitrary<Row> = fc.record({ sender: u32, recipient: u32, amount: u64, sequence: u32, tag: u32 });

/** Ascending, each sender and sequence once. */
export function inOrder(rows: readonly Row[]): readonly Row[] {
  const sorted = [...rows].sort((a, b) => a.sender - b.sender || a.sequence - b.sequence);
  return sorted.filter(
    (row, i) => i === 0 || row.sender !== sorted[i - 1]?.sender || row.sequence !== sorted[i - 1]?.sequence,
  );
}

export const anyRows = fc.array(anyRow, { minLength: 1, maxLength: 90 }).map(inOrder);

const signature = fc.uint8Array({ minLength: 64, maxLength: 64 });
const terms = fc.record({ expiryMs: fc.maxSafeNat(), feeCap: u64, signature });

export const anyBatch: fc.Arbitrary<Batch> = fc
  .tuple(anyRows, fc.infiniteStream(fc.tuple(fc.boolean(), terms)), fc.uint8Array({ minLength: 96, maxLength: 96 }))
  .map(([rows, stream, aggregate]) => {
    const stragglers: Straggler[] = [];
    for (const position of rows.keys()) {
      const [isStraggler, rest] = stream.next().value;
      if (isStraggler) stragglers.push({ position, ...rest });
    }
    const hasSigners = stragglers.length < rows.length;
    return { header: headerOf(rows), rows: columnsOf(rows), stragglers, aggregate: hasSigners ? aggregate : undefined };
  });
