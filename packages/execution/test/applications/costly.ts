/** Actions that spend their units on one thing each, to measure what a unit costs. */
import { account, action, application, bytes, event, type Key, list, table, text, u32 } from '@slipstream/app';

const numbers = table(u32, u32, { empty: 0 });
const texts = table(u32, text(4_096), { empty: '' });
const Noted = event({ note: text(1_500) });

const units = { compute: 600, reads: 24, writes: 20, bytes: 6_000 };

/** Of a power of two. */
function long(size: number): string {
  let made = 'x';
  while (made.length < size) made += made;
  return made;
}

const nothing = action({}, { units, run() {} });
const loop = action(
  { turns: u32 },
  {
    units,
    run(_, { turns }) {
      let sum = 0;
      for (let i = 0; i < turns; i++) sum = (sum * 31 + i) % 65_521;
      if (sum === 65_522) numbers.set(0, sum);
    },
  },
);
const read = action(
  { from: u32, count: u32 },
  {
    units,
    run(_, { from, count }) {
      for (let i = from; i < from + count; i++) numbers.get(i);
    },
  },
);
const write = action(
  { from: u32, count: u32 },
  {
    units,
    run(_, { from, count }) {
      for (let i = from; i < from + count; i++) numbers.set(i, i + 1);
    },
  },
);
const declared = action(
  { from: u32 },
  {
    units,
    keys(_, { from }) {
      const keys: Key[] = [];
      for (let i = 0; i < 8; i++) keys.push(numbers.key(from + i));
      return keys;
    },
    run: (_, { from }) => numbers.set(from, numbers.get(from + 7) + 1),
  },
);
const swallow = action({ data: bytes(6_000) }, { units, run() {} });
const people = action({ all: list(account, 100) }, { units, run() {} });
const note = action({ size: u32 }, { units, run: (_, { size }) => Noted.emit({ note: long(size) }) });
const store = action({ at: u32, size: u32 }, { units, run: (_, { at, size }) => texts.set(at, long(size)) });

export default application({
  name: 'costly',
  version: 1,
  state: { numbers, texts },
  events: { Noted },
  actions: { nothing, loop, read, write, declared, swallow, people, note, store },
});
