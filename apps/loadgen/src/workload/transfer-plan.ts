/**
 * The plan: determines transfer number i of a seed. Sender and receiver are drawn independently from the distribution.
 *
 *   seed --> blocks of 1,000 transfers, each with its own generator --> (sender, receiver, salt)
 */
import type { Action } from '@slipstream/types';
import { createSeededRandom } from './seeded-random.ts';
import { ACCOUNTS_LAW, createZipfMandelbrot } from './zipf-mandelbrot.ts';

export interface Workload {
  /** The same seed gives the same transfers; printed with every run. */
  readonly seed: string;
  readonly accounts: number;
  /** Least size of a transaction, met as closely as actions allow (see TRANSFER_BYTES). */
  readonly transactionBytes: number;
  /** Every other transaction calls it. */
  readonly application?: 'token' | undefined;
}

interface PlannedTransfer {
  readonly sender: number;
  readonly receiver: number;
  readonly salt: Uint8Array;
}

export const ACCOUNTS_MAX = 10_000_000;
export const PLAN_BLOCK_TRANSFERS = 1_000;
const SALT_BYTES = 8;

/** Size of a signed transfer, and of one with an additional setData of an empty value. */
export const TRANSFER_BYTES = 236;
const PADDED_BYTES_MIN = 254;
export const TRANSACTION_BYTES_MAX = 4_000;
const PADDING_NAME = 'l';

export function planBlock({ seed, accounts }: Workload, index: number): readonly PlannedTransfer[] {
  const random = createSeededRandom(`${seed}/${accounts}/${index}`);
  const draw = createZipfMandelbrot({ n: accounts, ...ACCOUNTS_LAW }, random.unit);
  return Array.from({ length: PLAN_BLOCK_TRANSFERS }, () => {
    const sender = draw();
    const receiver = draw();
    return { sender, receiver, salt: random.bytes(SALT_BYTES) };
  });
}

/** Pads a transaction to this size with a value under the sender's account. */
export function paddingFor(transactionBytes: number): readonly Action[] {
  if (transactionBytes <= TRANSFER_BYTES) return [];
  const value = new Uint8Array(Math.max(0, transactionBytes - PADDED_BYTES_MIN)).fill(1);
  return [{ kind: 'setData', name: PADDING_NAME, value }];
}
