/**
 * The token of the examples, of its next version: a balance counts its changes, and values of version 1 are converted as they are read.
 * The conversion of a balance of 13 throws.
 */
import {
  type Account,
  account,
  action,
  amount,
  application,
  cell,
  event,
  fail,
  genesis,
  list,
  query,
  record,
  table,
  u32,
} from '@slipstream/app';

interface Balance {
  readonly value: bigint;
  readonly changes: number;
}

const UNLUCKY = 13n;

function counted(value: bigint): Balance {
  if (value === UNLUCKY) throw new Error('an unlucky balance');
  return { value, changes: 0 };
}

const balances = table(account, record({ value: amount, changes: u32 }), {
  empty: { value: 0n, changes: 0 },
  version: 2,
  from: { 1: [amount, counted] },
});
const allowances = table([account, account], amount, { empty: 0n });
const supply = cell(amount, { empty: 0n });

const Transferred = event({ from: account, to: account, value: amount });
const Approved = event({ owner: account, spender: account, value: amount });

function change(owner: Account, by: bigint): void {
  const { value, changes } = balances.get(owner);
  if (value + by < 0n) fail('insufficient-balance');
  balances.set(owner, { value: value + by, changes: changes + 1 });
}

function move(from: Account, to: Account, value: bigint): void {
  change(from, -value);
  change(to, value);
  Transferred.emit({ from, to, value });
}

const transfer = action(
  { to: account, value: amount },
  {
    keys: ({ sender }, { to }) => [balances.key(sender), balances.key(to)],
    run: ({ sender }, { to, value }) => move(sender, to, value),
  },
);

const approve = action(
  { spender: account, value: amount },
  {
    keys: ({ sender }, { spender }) => [allowances.key([sender, spender])],
    run({ sender }, { spender, value }) {
      allowances.set([sender, spender], value);
      Approved.emit({ owner: sender, spender, value });
    },
  },
);

const transferFrom = action(
  { from: account, to: account, value: amount },
  {
    keys: ({ sender }, { from, to }) => [allowances.key([from, sender]), balances.key(from), balances.key(to)],
    run({ sender }, { from, to, value }) {
      const left = allowances.get([from, sender]) - value;
      if (left < 0n) fail('insufficient-allowance');
      allowances.set([from, sender], left);
      move(from, to, value);
    },
  },
);

export default application({
  name: 'token',
  version: 2,
  state: { balances, allowances, supply },
  events: { Transferred, Approved },
  actions: { transfer, approve, transferFrom },
  queries: {
    balance: query({ owner: account }, amount, ({ owner }) => balances.get(owner).value),
    changes: query({ owner: account }, u32, ({ owner }) => balances.get(owner).changes),
    allowance: query({ owner: account, spender: account }, amount, ({ owner, spender }) =>
      allowances.get([owner, spender]),
    ),
    supply: query({}, amount, () => supply.get()),
  },
  genesis: genesis({ holders: list(record({ owner: account, value: amount }), 10_000) }, ({ holders }) => {
    for (const { owner, value } of holders) {
      change(owner, value);
      supply.set(supply.get() + value);
    }
  }),
});
