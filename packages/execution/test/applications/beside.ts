/** Actions that may run beside others, and meet each other's entries, coins and rules. */
import {
  account,
  action,
  amount,
  application,
  bytes,
  cell,
  coin,
  event,
  fail,
  genesis,
  table,
  u8,
  u32,
} from '@slipstream/app';

const numbers = table(u8, u32, { empty: 0 });
const blobs = table(u8, bytes(600));
const factor = cell(u32, { empty: 3 });
const Mixed = event({ at: u8, value: u32 });

const units = { compute: 900, reads: 8, writes: 8, bytes: 2_000 };

function spun(start: number, rounds: number): number {
  let value = start;
  for (let i = 0; i < rounds; i++) value = (value * 1_103_515_245 + 12_345) % 2_147_483_648;
  return value;
}

const mix = action(
  { from: u8, to: u8, rounds: u32 },
  {
    parallel: true,
    units,
    keys: (_, { from, to }) => [numbers.key(from), numbers.key(to), factor.key()],
    run(_, { from, to, rounds }) {
      const value = spun(numbers.get(from) + factor.get(), rounds);
      if (value % 5 === 0) fail('of-five');
      numbers.set(to, value);
      Mixed.emit({ at: to, value });
    },
  },
);
/** Reads what it deletes or lengthens. */
const cut = action(
  { at: u8 },
  {
    parallel: true,
    units,
    keys: (_, { at }) => [blobs.key(at)],
    run(_, { at }) {
      const found = blobs.get(at);
      if (found !== undefined && found.length > 300) blobs.delete(at);
      else blobs.set(at, new Uint8Array([...(found ?? []), ...(found ?? []), at, 1]));
    },
  },
);
const stray = action(
  { at: u8, other: u8 },
  {
    parallel: true,
    units,
    keys: (_, { at }) => [numbers.key(at)],
    run(_, { at, other }) {
      numbers.set(at, 1);
      numbers.set(other, 2);
    },
  },
);
const crash = action(
  { at: u8 },
  {
    parallel: true,
    units,
    keys: (_, { at }) => [numbers.key(at)],
    run(_, { at }) {
      numbers.set(at, 1);
      if (numbers.get(at) === 1) throw new Error('crashed');
    },
  },
);
const spin = action({}, { parallel: true, units, keys: () => [factor.key()], run: () => void spun(1, 100_000_000) });
const collect = action(
  { value: amount },
  {
    parallel: true,
    units,
    keys: ({ sender }) => [coin.key(sender), coin.key(coin.purse('till'))],
    run: (_, { value }) => coin.collect('till', value),
  },
);
const pay = action(
  { to: account, value: amount },
  {
    parallel: true,
    units,
    keys: (_, { to }) => [coin.key(coin.purse('till')), coin.key(to)],
    run(_, { to, value }) {
      if (coin.balance(to) > 1_000_000_000_000_000n) fail('rich-enough');
      coin.pay('till', to, value);
    },
  },
);
/** Runs at its place. */
const setFactor = action({ value: u32 }, { units, run: (_, { value }) => factor.set(value) });

export default application({
  name: 'beside',
  version: 1,
  state: { numbers, blobs, factor },
  events: { Mixed },
  actions: { mix, cut, stray, crash, spin, collect, pay, setFactor },
  genesis: genesis({ first: u32 }, ({ first }) => factor.set(first)),
});
