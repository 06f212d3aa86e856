/** Actions of a chosen length, for measurements: each meets one entry, of its own number or of number 0. */
import { action, application, table, u32 } from '@slipstream/app';

const values = table(u32, u32, { empty: 0 });
const units = { compute: 976, reads: 2, writes: 2, bytes: 32 };
const MODULUS = 18_446_744_073_709_551_557n;

/** A turn is a product of 64 bits by 64, and its rest: what ticks count is a tenth of a microsecond or more. */
function spun(start: number, turns: number): number {
  let value = BigInt(start) + 3n;
  for (let i = 0; i < turns; i++) value = (value * value + 1n) % MODULUS;
  return Number(value & 4_294_967_295n);
}

const alone = action(
  { at: u32, turns: u32 },
  {
    parallel: true,
    units,
    keys: (_, { at }) => [values.key(at)],
    run: (_, { at, turns }) => values.set(at, spun(values.get(at), turns)),
  },
);
/** All of them write one entry. */
const together = action(
  { at: u32, turns: u32 },
  {
    parallel: true,
    units,
    keys: (_, { at }) => [values.key(0), values.key(at)],
    run: (_, { at, turns }) => values.set(0, spun(values.get(0) + at, turns)),
  },
);

export default application({ name: 'spinner', version: 1, state: { values }, actions: { alone, together } });
