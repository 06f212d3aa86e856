/** Actions that break each rule of calls, and ones that stay just within. */
import {
  account,
  action,
  amount,
  application,
  cell,
  coin,
  event,
  fail,
  genesis,
  table,
  text,
  u32,
} from '@slipstream/app';

const numbers = table(u32, u32, { empty: 0 });
const named = table(text(100), u32, { empty: 0 });
const blob = cell(text(140_000), { empty: '' });
const Noted = event({ note: text(3_000) });
const Seen = event({ sender: account, height: u32 });

const units = { compute: 900, reads: 20, writes: 10, bytes: 4_000 };

/** A power of two. */
function long(size: number): string {
  let made = 'x';
  while (made.length < size) made += made;
  return made;
}

function depth(n: number): number {
  return n === 0 ? 0 : 1 + depth(n - 1);
}

const write = action(
  { from: u32, count: u32 },
  {
    units,
    run(_, { from, count }) {
      for (let i = from; i < from + count; i++) numbers.set(i, 7);
    },
  },
);
const writeTwice = action(
  { count: u32 },
  {
    units,
    run(_, { count }) {
      for (let i = 0; i < count; i++) numbers.set(i, 1);
      for (let i = 0; i < count; i++) numbers.set(i, 2);
    },
  },
);
const read = action(
  { count: u32 },
  {
    units,
    run(_, { count }) {
      for (let i = 0; i < count; i++) numbers.get(i);
    },
  },
);
const setNamed = action(
  { name: text(100), value: u32 },
  { units, run: (_, { name, value }) => named.set(name, value) },
);
const fill = action(
  { size: u32 },
  {
    units: { compute: 976, reads: 1, writes: 1, bytes: 100_000 },
    run: (_, { size }) => blob.set(long(size)),
  },
);
const fillLittle = action(
  { size: u32 },
  { units: { ...units, bytes: 500 }, run: (_, { size }) => blob.set(long(size)) },
);
const note = action(
  { size: u32 },
  { units: { ...units, writes: 0 }, run: (_, { size }) => Noted.emit({ note: long(size) }) },
);
const see = action({}, { units, run: ({ sender, height }) => Seen.emit({ sender, height }) });
const failAfterWriting = action(
  {},
  {
    units,
    run() {
      numbers.set(1, 1);
      Noted.emit({ note: 'x' });
      fail('no-reason');
    },
  },
);
const crash = action(
  {},
  {
    units,
    run() {
      numbers.set(1, 1);
      throw new Error('crashed');
    },
  },
);
const loop = action(
  {},
  {
    units,
    run() {
      numbers.set(1, 1);
      for (;;);
    },
  },
);
const recurse = action({ n: u32 }, { units, run: (_, { n }) => numbers.set(1, depth(n)) });
const undeclared = action(
  { from: u32, to: u32 },
  { units, keys: (_, { from }) => [numbers.key(from)], run: (_, { to }) => numbers.set(to, 1) },
);
const readWhileDeclaring = action(
  {},
  { units, keys: () => [numbers.key(numbers.get(1))], run: () => numbers.set(0, 1) },
);
const collect = action({ value: amount }, { units, run: (_, { value }) => coin.collect('till', value) });
const pay = action({ to: account, value: amount }, { units, run: (_, { to, value }) => coin.pay('till', to, value) });

export default application({
  name: 'troubles',
  version: 3,
  state: { numbers, named, blob },
  events: { Noted, Seen },
  actions: {
    write,
    writeTwice,
    read,
    setNamed,
    fill,
    fillLittle,
    note,
    see,
    failAfterWriting,
    crash,
    loop,
    recurse,
    undeclared,
    readWhileDeclaring,
    collect,
    pay,
  },
  genesis: genesis({ first: u32 }, ({ first }) => {
    if (first === 0) fail('no-first');
    if (first === 1) throw new Error('one');
    if (first === 2) coin.collect('till', 1n);
    for (let i = 0; i < first; i++) numbers.set(i, first);
  }),
});
