/** What no tick sees: the product of integers that grow. */
import { action, application, cell, query, u32 } from '@slipstream/app';

const last = cell(u32, { empty: 0 });

export default application({
  name: 'heavy',
  version: 1,
  state: { last },
  actions: { set: action({ n: u32 }, { run: (_, { n }) => last.set(n) }) },
  queries: {
    last: query({}, u32, () => last.get()),
    square: query({ times: u32 }, u32, ({ times }) => {
      let n = 3n;
      for (let i = 0; i < times; i++) n *= n;
      return n === 0n ? 0 : 1;
    }),
  },
});
