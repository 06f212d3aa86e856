/**
 * The order book: placed, traded and cancelled orders. Both sides are sorted, each order has its place, no bid meets an ask, and the purse has
 * what the bids cost.
 */
import { assert, to0x, utf8 } from '@slipstream/primitives';
import { EPOCH_MS } from '@slipstream/simulator';
import { stateKeyOfEntry } from '@slipstream/types';
import { bytesOfText } from '../../../../packages/app/src/forms/byte-text.ts';
import { decode } from '../../../../packages/app/src/forms/form.ts';
import { scanKeys } from '../../../../packages/app/src/sorted/scan.ts';
import { treeNodeForm } from '../../../../packages/app/src/sorted/tree-node.ts';
import type { TestApplication } from '../../../../packages/execution/test/application-builders.ts';
import type { TransactionForm } from '../../../../packages/execution/test/builders.ts';
import { coinsOfAccounts, purseBalance } from './purses.ts';
import {
  ACCOUNTS,
  type CheckedState,
  entryOf,
  example,
  idIn,
  openAlone,
  requireEqual,
  type SimulatedCalls,
} from './simulated-calls.ts';

const ORDERS = 32;
const [BIDS, ASKS, PLACES] = [0, 1, 2];
/** Two numbers of 32 bits. */
const KEY_BYTES = 8;
const EXPIRY_MS = EPOCH_MS + 55_000;
const PURSE = utf8('book');
const BID_ORIGIN = 0xffff_ffff;

interface Order {
  readonly id: string;
  readonly quantity: number;
}

interface Standing {
  readonly price: number;
  readonly quantity: number;
}

export async function ordersCalls(): Promise<SimulatedCalls> {
  const orders = await example('orders');
  const placed = (number: number): Omit<TransactionForm, 'genesisHash'> => {
    const order = number % ORDERS;
    const input = { side: order % 2 === 0 ? 'buy' : 'sell', price: 1 + (order % 7), quantity: 1 + (order % 5) };
    return { from: 1 + (order % ACCOUNTS), actions: [orders.call('place', input)], salt: order, expiryMs: EXPIRY_MS };
  };
  let coins: bigint | undefined;
  return {
    genesis: [orders.inGenesis({})],
    open: openAlone(orders),
    action({ to, amount, salt }, genesisHash) {
      if (amount % 4 === 0) return orders.call('deposit', { quantity: amount });
      if (amount % 4 === 1) return orders.call('cancel', { order: to0x(idIn(placed(salt), genesisHash)) });
      const side = salt % 2 === 0 ? 'buy' : 'sell';
      return orders.call('place', { side, price: 1 + (amount % 7), quantity: to });
    },
    repeated: placed,
    check(state) {
      const bids = standing(orders, state, 'buy');
      const asks = standing(orders, state, 'sell');
      const [bid, ask] = [bids[0], asks[0]];
      assert(bid === undefined || ask === undefined || bid.price < ask.price, 'the best bid is below the best ask');
      const cost = bids.reduce((sum, { price, quantity }) => sum + BigInt(price * quantity), 0n);
      requireEqual(purseBalance(state, PURSE), cost, 'the purse of the bids');
      const all = cost + coinsOfAccounts(state);
      coins ??= all;
      requireEqual(all, coins, 'coins of accounts and the book');
    },
  };
}

/** Of one side, best first, as its tree has them. */
function standing(orders: TestApplication, state: CheckedState, side: 'buy' | 'sell'): readonly Standing[] {
  const table = side === 'buy' ? BIDS : ASKS;
  const keys = keysOf(state, table as number);
  let before: readonly [number, number] = [-1, -1];
  return keys.map((text) => {
    const key = new DataView(bytesOfText(text).buffer);
    const [rank, number] = [key.getUint32(0), key.getUint32(4)];
    const isBehind = rank > before[0] || (rank === before[0] && number > before[1]);
    assert(isBehind, `the ${side} side is sorted`);
    before = [rank, number];
    const price = side === 'buy' ? BID_ORIGIN - rank : rank;
    const order = entryOf(orders, state, table as number, [rank, number]) as Order | undefined;
    assert(order !== undefined && order.quantity > 0, `the ${side} side has an order at ${price}, ${number}`);
    const place = entryOf(orders, state, PLACES as number, order.id);
    const expected = JSON.stringify({ side, price, number });
    assert(JSON.stringify(place) === expected, `${order.id} has its place: ${JSON.stringify(place)}, ${expected}`);
    return { price, quantity: order.quantity };
  });
}

/** Of a sorted table, in the order of its tree. */
function keysOf({ read }: CheckedState, table: number): readonly string[] {
  const form = treeNodeForm(KEY_BYTES, KEY_BYTES);
  const unused = () => {
    throw new Error('a check changes nothing');
  };
  const nodes = {
    read(node: number) {
      const key = new Uint8Array(5);
      new DataView(key.buffer).setUint32(1, node);
      const found = read(stateKeyOfEntry(0, table, key));
      return found === undefined ? undefined : decode(form, found);
    },
    write: unused,
    remove: unused,
  };
  return scanKeys(nodes, { limit: Number.POSITIVE_INFINITY, reverse: false });
}
