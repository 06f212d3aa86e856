/**
 * Bench: executing blocks of plain transfers. `npx node packages/execution/bench/execute.ts`
 *
 * Ten blocks of 10,000 transfers among 100,000 accounts; decoding is measured separately, because chunks are decoded as they arrive.
 */

import { toHex } from '@slipstream/primitives';
import {
  asId,
  decodeTransaction,
  type GenesisHash,
  type PreparedTransaction,
  transactionCodec,
} from '@slipstream/types';
import { encodeBalance, epochEntries, executeBlock, writesOf } from '../src/index.ts';
import { genesis } from '../test/builders.ts';
import { account } from './account.ts';

const ACCOUNTS = 100_000;
const TRANSACTIONS = 10_000;
const BLOCKS = 10;
const genesisHash = asId<GenesisHash>(new Uint8Array(32));

function transfer(number: number): Uint8Array {
  const salt = new Uint8Array(8);
  new DataView(salt.buffer).setUint32(0, number);
  const [from, to] = [(number * 7919) % ACCOUNTS, (number * 104_729 + 1) % ACCOUNTS];
  return transactionCodec.encode({
    body: {
      genesisHash,
      sender: account(from),
      expiryMs: 30_000,
      salt,
      maxFee: 0n,
      actions: [{ kind: 'transfer', to: account(to), amount: 1n }],
    },
    auth: { scheme: 'ed25519', signature: new Uint8Array(64) },
  });
}

/** By account number, the end of the key: reads are nearly free, so that only the executor is measured. */
const state = Array.from({ length: ACCOUNTS + 2 }, (): Uint8Array | undefined => encodeBalance(1_000_000n));

const others = new Map(epochEntries(genesis({})).map(({ key, value }) => [toHex(key), value]));

function slotOf(key: Uint8Array): number {
  return key.length === 34 ? new DataView(key.buffer, key.byteOffset).getUint32(30) : ACCOUNTS + 1;
}

let decodeMs = 0;
let executeMs = 0;
for (let height = 1; height <= BLOCKS; height++) {
  const bytes = Array.from({ length: TRANSACTIONS }, (_, i) => transfer(height * TRANSACTIONS + i));
  const startMs = performance.now();
  const transactions: PreparedTransaction[] = bytes.map((one) => ({ ...decodeTransaction(one), signatureValid: true }));
  const decodedMs = performance.now();
  const { batch, stats } = executeBlock({
    genesisHash,
    epoch: 0,
    view: height,
    parentView: height - 1,
    height,
    timestampMs: 1,
    proposer: 0,
    chunks: [{ epoch: 0, producer: 0, transactions }],
    read: (key) => (key.length === 34 ? state[slotOf(key)] : others.get(toHex(key))),
    seen: () => false,
  });
  const doneMs = performance.now();
  for (const { key, value } of writesOf(batch)) state[slotOf(key)] = value;
  if (height <= BLOCKS / 2) continue; // the first half warms up
  decodeMs += decodedMs - startMs;
  executeMs += doneMs - decodedMs;
  if (height === BLOCKS) console.log(JSON.stringify({ batch: batch.keyBytes.length, ...stats }));
}
const measured = (BLOCKS / 2) * TRANSACTIONS;
const perTransaction = (ms: number) => `${((1000 * ms) / measured).toFixed(2)} us`;
console.log(`decode ${perTransaction(decodeMs)}, execute ${perTransaction(executeMs)} a transaction`);
