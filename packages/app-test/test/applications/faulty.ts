/** One action for each fault that the kit for tests has to find. */
import { action, application, cell, event, fail, query, table, u8, u32 } from '@slipstream/app';

function createCounter() {
  let count = 0;
  return () => {
    count += 1;
    return count;
  };
}
/** Hidden state, which the build cannot see. */
const callsBefore = createCounter();

const total = cell(u32, { empty: 0 });
const counts = table(u8, u32, { empty: 0 });
const Counted = event({ by: u8 });

const count = action(
  { by: u8 },
  {
    keys: () => [total.key()],
    run(_, { by }) {
      if (by === 0) fail('by-nothing');
      total.set(total.get() + by);
      Counted.emit({ by });
    },
  },
);
const remember = action({}, { run: () => total.set(callsBefore()) });
const undeclared = action({}, { keys: () => [total.key()], run: () => counts.set(1, 1) });
const fault = action({}, { run: () => counts.set(300, 1) });
const endless = action(
  {},
  {
    run() {
      while (total.get() < 1_000_000) counts.get(1);
    },
  },
);
const dear = action(
  { times: u8 },
  {
    units: { compute: 100, reads: 5, writes: 2, bytes: 100 },
    run(_, { times }) {
      for (let i = 0; i < times; i++) counts.get(i);
    },
  },
);

export default application({
  name: 'faulty',
  version: 1,
  state: { total, counts },
  events: { Counted },
  actions: { count, remember, undeclared, fault, endless, dear },
  queries: { total: query({}, u32, () => total.get() || fail('nothing-counted')) },
  invariants: { totalIsSmall: () => total.get() < 1_000 },
});
