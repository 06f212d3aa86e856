import fc from 'fast-check';
import { expect, test } from 'vitest';
import { windowOf } from '../src/design/row-window.ts';

test('visible rows are rendered, and the table keeps its whole height', () => {
  const numbers = { rows: fc.integer({ min: 101, max: 5_000 }), height: fc.integer({ min: 0, max: 2_000 }) };
  fc.assert(
    fc.property(
      numbers.rows,
      numbers.height,
      fc.integer({ min: 20, max: 80 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (rows, height, rowPx, share) => {
        const top = share * Math.max(0, rows * rowPx - height);
        const { from, to, abovePx, belowPx } = windowOf(rows, { top, height, rowPx });
        expect(abovePx + (to - from) * rowPx + belowPx).toBe(rows * rowPx);
        expect(from * rowPx).toBeLessThanOrEqual(top);
        expect(to * rowPx).toBeGreaterThanOrEqual(Math.min(rows * rowPx, top + height));
      },
    ),
  );
});
