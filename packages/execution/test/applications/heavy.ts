/** What no tick sees: the product of integers that grow. */
import { action, application, cell, query, u32 } from '@slipstream/app';

const last = cell(u32, { empty: 0 });

/** Some tenths of a second each time. */
function hung(times: number): number {
  let sum = 0n;
  for (let i = 0; i < times; i++) {
    let n = 3n;
    for (let squares = 0; squares < 22; squares++) n *= n;
    sum += n & 1n;
  }
  return Number(sum);
}

export default application({
  name: 'heavy',
  version: 1,
  state: { last },
  actions: {
    set: action({ n: u32 }, { run: (_, { n }) => last.set(n) }),
    hang: action({ times: u32 }, { run: (_, { times }) => last.set(hung(times)) }),
  },
  queries: {
    last: query({}, u32, () => last.get()),
    square: query({ times: u32 }, u32, ({ times }) => {
      let n = 3n;
      for (let i = 0; i < times; i++) n *= n;
      return n === 0n ? 0 : 1;
    }),
  },
});
