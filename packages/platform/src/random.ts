import { randomFillSync } from 'node:crypto';
import type { Random } from '@slipstream/ports';

/** One system call serves many small draws. */
const POOL_BYTES = 4_096;
const TWO_TO_53 = 2 ** 53;

export function createRandom(): Random {
  const pool = new Uint8Array(POOL_BYTES);
  const view = new DataView(pool.buffer);
  let used = POOL_BYTES;

  /** Uniform in [0, 2^53). */
  function uint53(): number {
    if (used + 8 > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const high = view.getUint32(used) >>> 11;
    const low = view.getUint32(used + 4);
    used += 8;
    return high * 2 ** 32 + low;
  }

  function below(bound: number): number {
    if (!Number.isSafeInteger(bound) || bound < 1) throw new RangeError(`no integer lies in [0, ${bound})`);
    const fair = TWO_TO_53 - (TWO_TO_53 % bound);
    for (;;) {
      const draw = uint53();
      if (draw < fair) return draw % bound;
    }
  }

  return {
    bytes: (length) => randomFillSync(new Uint8Array(length)),
    below,
    unit: () => uint53() / TWO_TO_53,
  };
}
