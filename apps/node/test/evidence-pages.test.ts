import type { Evidence } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createReads, type ReadComponents } from '../src/backend/reads.ts';

it('evidence is returned in pages of the requested size', async () => {
  const kept = Array.from({ length: 45 }, (_, offender) => ({ offender }) as Evidence);
  const parts: Partial<Record<keyof ReadComponents, unknown>> = {
    ledger: { evidence: async (limit: number) => kept.slice(0, limit) },
  };
  const reads = createReads(parts as unknown as ReadComponents);
  const seen: number[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const { items, next } = await reads.evidence({ cursor, limit: 20 });
    expect(items.length).toBeLessThanOrEqual(20);
    seen.push(...items.map(({ offender }) => offender));
    cursor = next;
    more = next !== undefined;
  }
  expect(seen).toEqual(kept.map(({ offender }) => offender));
});
