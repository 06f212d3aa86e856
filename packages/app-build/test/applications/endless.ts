/** Actions that do not end by themselves, and ones that are deep, or try to remember. */
import { action, application, cell, u32 } from '@slipstream/app';

const result = cell(u32, { empty: 0 });
const memory = { calls: [0] };
const alias = (x: { calls: number[] }) => x.calls;

function depth(n: number): number {
  return n === 0 ? 0 : 1 + depth(n - 1);
}

/** Many variables in each frame. */
function wide(n: number): number {
  const [a, b, c, d, e, f, g, h] = [n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8];
  const [i, j, k, l, m, o, p, q] = [a + b, b + c, c + d, d + e, e + f, f + g, g + h, h + a];
  const [r, s, t, u, v, w, x, y] = [i + j, j + k, k + l, l + m, m + o, o + p, p + q, q + i];
  const deeper = wide(n + 1);
  return deeper + a + b + c + d + e + f + g + h + i + j + k + l + m + o + p + q + r + s + t + u + v + w + x + y;
}

const loop = action(
  {},
  {
    run() {
      for (;;);
    },
  },
);
const recurse = action({}, { run: () => result.set(depth(0xffffffff)) });
const recurseWide = action({}, { run: () => result.set(wide(0)) });
const deep = action({ n: u32 }, { run: (_context, { n }) => result.set(depth(n)) });
const callback = action(
  {},
  {
    run() {
      const list = [1];
      for (const each of list) list.push(each + 1);
    },
  },
);
const remember = action(
  {},
  {
    run() {
      const calls = alias(memory as { calls: number[] });
      calls.push(1);
      result.set(calls.length);
    },
  },
);

export default application({
  name: 'endless',
  version: 1,
  state: { result },
  actions: { loop, recurse, recurseWide, deep, callback, remember },
});
