import { height } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createReads, type ReadComponents } from '../src/backend/reads.ts';

const at = (number: number) => ({ type: 'height', height: height(number) }) as const;

it('heights below the first one of a joined node are pruned, genesis included, and the answer has the first one', async () => {
  const ledger = { block: async () => undefined, tip: async () => ({ height: 900, earliestHeight: 500 }) };
  const reads = createReads({ ledger } as unknown as ReadComponents);
  const detail = expect.stringContaining('begins at height 500');
  for (const gone of [0, 1, 499]) {
    expect(await reads.block(at(gone))).toEqual({ type: 'pruned', detail });
    expect(await reads.certificates(height(gone))).toEqual({ type: 'pruned', detail });
  }
  expect(await reads.block(at(901))).toEqual({ type: 'unknown' });
  expect(await reads.block({ type: 'latest' })).toEqual({ type: 'unknown' });
});
