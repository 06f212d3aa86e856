/** A counter, of which tests and the bench save versions. */
import { action, application, cell, event, fail, genesis, query, u32 } from '@slipstream/app';

const total = cell(u32, { empty: 0 });
const Added = event({ total: u32 });
const add = action(
  { by: u32 },
  {
    run(_, { by }) {
      if (by === 0) fail('nothing-to-add');
      total.set(total.get() + by);
      Added.emit({ total: total.get() });
    },
  },
);

export default application({
  name: 'counter',
  version: 1,
  state: { total },
  events: { Added },
  actions: { add },
  queries: { total: query({}, u32, () => total.get()) },
  genesis: genesis({}, () => total.set(0)),
});
