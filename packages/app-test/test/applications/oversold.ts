/** An order that checks what is left, and takes what is asked for: with enough orders there is less than nothing, which an invariant sees. */
import { account, action, application, cell, genesis, table, u32 } from '@slipstream/app';

const all = cell(u32, { empty: 0 });
const left = cell(u32, { empty: 0 });
const seats = table(account, u32, { empty: 0 });
const taken = cell(u32, { empty: 0 });

const take = action(
  { seats: u32 },
  {
    keys: ({ sender }) => [left.key(), taken.key(), seats.key(sender)],
    run({ sender }, input) {
      const some = input.seats % 8;
      if (left.get() === 0) return;
      left.set(left.get() < some ? 0 : left.get() - some);
      taken.set(taken.get() + some);
      seats.set(sender, seats.get(sender) + some);
    },
  },
);

export default application({
  name: 'oversold',
  version: 1,
  state: { all, left, seats, taken },
  events: {},
  actions: { take },
  queries: {},
  genesis: genesis({ seats: u32 }, (input) => {
    all.set(input.seats);
    left.set(input.seats);
  }),
  invariants: { noSeatIsTakenTwice: () => taken.get() <= all.get() },
});
