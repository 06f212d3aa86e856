/** Queries that break each rule, and ones that do not; a sorted table of any size. */
import {
  account,
  action,
  amount,
  application,
  cell,
  coin,
  fail,
  genesis,
  list,
  query,
  sorted,
  table,
  text,
  u32,
} from '@slipstream/app';

const squares = table(u32, u32, { empty: 0 });
const ranked = sorted(u32, text(20));
const size = cell(u32, { empty: 0 });

const touch = action({ n: u32 }, { run: (_, { n }) => squares.set(n, n) });

export default application({
  name: 'questions',
  version: 1,
  state: { squares, ranked, size },
  actions: { touch },
  queries: {
    sum: query({ from: u32, to: u32 }, u32, ({ from, to }) => {
      let sum = 0;
      for (let n = from; n < to; n++) sum += squares.get(n);
      return sum;
    }),
    page: query({ from: u32, limit: u32 }, list(text(20), 1_000), ({ from, limit }) =>
      ranked.range({ from, limit }).map(({ value }) => value),
    ),
    coins: query({ of: account }, amount, ({ of }) => coin.balance(of)),
    till: query({}, account, () => coin.purse('till')),
    refuse: query({}, u32, () => fail('not-today')),
    crash: query({}, u32, () => {
      throw new Error('crashed');
    }),
    spin: query({}, u32, () => {
      for (;;);
    }),
    write: query({}, u32, () => {
      squares.set(1, 1);
      return 1;
    }),
    collect: query({}, u32, () => {
      coin.collect('till', 1n);
      return 1;
    }),
  },
  genesis: genesis({ count: u32 }, ({ count }) => {
    size.set(count);
    for (let n = 0; n < count; n++) {
      squares.set(n, n * n);
      ranked.set((n * 7) % count, `number ${(n * 7) % count}`);
    }
  }),
});
