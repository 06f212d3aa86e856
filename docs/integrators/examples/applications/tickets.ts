/** Tickets: an organizer opens a show with a number of seats, and anyone takes seats while there are some. */
import {
  account,
  action,
  amount,
  application,
  cell,
  event,
  fail,
  id,
  query,
  record,
  table,
  text,
  u32,
} from '@slipstream/app';

/** A show is named by the transaction that opened it. */
const show = record({ organizer: account, title: text(64), seats: u32, taken: u32 });
const shows = table(id, show);
/** Seats, by show and holder. */
const tickets = table([id, account], u32, { empty: 0 });
/** Of all shows, for the invariant: tables cannot be summed up. */
const seatsOfAll = cell(amount, { empty: 0n });
const takenOfAll = cell(amount, { empty: 0n });

const Opened = event({ show: id, title: text(64), seats: u32 });
const Taken = event({ show: id, holder: account, seats: u32 });

const open = action(
  { title: text(64), seats: u32 },
  {
    keys: ({ transactionId }) => [shows.key(transactionId), seatsOfAll.key()],
    run({ sender, transactionId }, { title, seats }) {
      if (seats === 0) fail('no-seats');
      if (shows.get(transactionId)) fail('one-show-a-transaction');
      shows.set(transactionId, { organizer: sender, title, seats, taken: 0 });
      seatsOfAll.set(seatsOfAll.get() + BigInt(seats));
      Opened.emit({ show: transactionId, title, seats });
    },
  },
);

const take = action(
  { show: id, seats: u32 },
  {
    keys: ({ sender }, input) => [shows.key(input.show), tickets.key([input.show, sender]), takenOfAll.key()],
    run({ sender }, input) {
      const found = shows.get(input.show);
      if (!found) return fail('show-unknown');
      if (input.seats === 0) fail('no-seats');
      if (input.seats > found.seats - found.taken) fail('sold-out');
      shows.set(input.show, { ...found, taken: found.taken + input.seats });
      tickets.set([input.show, sender], tickets.get([input.show, sender]) + input.seats);
      takenOfAll.set(takenOfAll.get() + BigInt(input.seats));
      Taken.emit({ show: input.show, holder: sender, seats: input.seats });
    },
  },
);

export default application({
  name: 'tickets',
  version: 1,
  state: { shows, tickets, seatsOfAll, takenOfAll },
  events: { Opened, Taken },
  actions: { open, take },
  queries: {
    show: query({ show: id }, show, (input) => shows.get(input.show) ?? fail('show-unknown')),
    seats: query({ show: id, holder: account }, u32, ({ show: of, holder }) => tickets.get([of, holder])),
  },
  invariants: { noSeatIsTakenTwice: () => takenOfAll.get() <= seatsOfAll.get() },
});
