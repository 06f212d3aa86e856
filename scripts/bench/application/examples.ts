/** Blocks of calls of the three examples, in which each call succeeds. */

import { to0x } from '@slipstream/primitives';
import { accountKeyText, type Genesis, type PreparedTransaction } from '@slipstream/types';
import {
  builtApplication,
  exampleSource,
  type TestApplication,
} from '../../../packages/execution/test/application-builders.ts';
import { account } from '../../../packages/execution/test/builders.ts';
import { prepared } from './world.ts';

export type ExampleName = 'token' | 'escrow' | 'orders';

export interface Example {
  readonly name: ExampleName;
  readonly built: TestApplication;
  readonly listed: NonNullable<Genesis['applications']>[number];
  /** The next block of a chain: `round` counts from 0. */
  block(round: number, calls: number): readonly PreparedTransaction[];
}

const textOf = (number: number): string => accountKeyText(account(number));
/** Far behind the time of each block. */
const DEADLINE_MS = 2_000_000_000_000;
const TOKENS = '1000000000';
/** Transfers of one account follow each other now and then, as on a chain. */
const [FROM_STEP, TO_STEP, ROUND_STEP] = [3, 5, 7_919];

export const placeOf = (round: number, call: number, accounts: number) => ({
  from: 1 + ((round * ROUND_STEP + call * FROM_STEP) % accounts),
  to: 1 + ((round * ROUND_STEP + call * TO_STEP) % accounts),
});

export async function tokenExample(accounts: number): Promise<Example> {
  const built = await builtApplication(exampleSource('token'));
  const holders = Array.from({ length: accounts }, (_, i) => ({ owner: textOf(i + 1), value: TOKENS }));
  return {
    name: 'token',
    built,
    listed: built.inGenesis({ holders }),
    block: (round, calls) =>
      Array.from({ length: calls }, (_, i) => {
        const { from, to } = placeOf(round, i, accounts);
        return prepared(from, built.call('transfer', { to: textOf(to), value: '1' }));
      }),
  };
}

/** Each deal is opened, and released by its buyer right after it. */
export async function escrowExample(accounts: number): Promise<Example> {
  const built = await builtApplication(exampleSource('escrow'));
  return {
    name: 'escrow',
    built,
    listed: built.inGenesis({}),
    block: (round, calls) =>
      Array.from({ length: Math.ceil(calls / 2) }, (_, i) => {
        const { from, to } = placeOf(round, i, accounts);
        const terms = { seller: textOf(to), arbiter: textOf(1), value: '5', deadlineMs: DEADLINE_MS };
        const opened = prepared(from, built.call('open', terms));
        return [opened, prepared(from, built.call('release', { deal: to0x(opened.id) }))];
      }).flat(),
  };
}

/** Bids at many prices, each cancelled by its owner right after a second one stands, so that the book grows. */
export async function ordersExample(accounts: number): Promise<Example> {
  const built = await builtApplication(exampleSource('orders'));
  return {
    name: 'orders',
    built,
    listed: built.inGenesis({}),
    block: (round, calls) =>
      Array.from({ length: Math.ceil(calls / 3) }, (_, i) => {
        const { from } = placeOf(round, i, accounts);
        const bid = (price: number) => prepared(from, built.call('place', { side: 'buy', price, quantity: 2 }));
        const [first, second] = [bid(1 + ((i * 37) % 500)), bid(1 + ((i * 91) % 500))];
        return [first, second, prepared(from, built.call('cancel', { order: to0x(first.id) }))];
      }).flat(),
  };
}
