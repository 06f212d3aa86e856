import { concatBytes, to0x } from '@slipstream/primitives';
import {
  type Block,
  type ChunkId,
  chunkBodyCodec,
  genesisBlock,
  genesisHashOf,
  signedChunkCodec,
  type TransactionId,
  transactionCodec,
  transactionIdOf,
} from '@slipstream/types';
import { expect, it } from 'vitest';
import { buildTransaction, keyPairFrom, signTransaction, transfer } from '../../../packages/client/src/index.ts';
import { genesis } from '../../../packages/client/test/real-chain.ts';
import { chunkHeader } from '../../../packages/types/test/chunk-header.ts';
import { createCommittedTransactions, type TransactionOf } from '../src/backend/committed-transactions.ts';

const CHUNKS = 40;
const IN_CHUNK = 3;
const key = keyPairFrom(new Uint8Array(32).fill(9));
const genesisHash = genesisHashOf(genesis);

function transactionOf(number: number) {
  const body = buildTransaction({
    genesisHash,
    sender: key.account,
    expiryMs: 1_900_000_000_000,
    actions: [transfer(key.accountText, BigInt(number))],
  });
  return signTransaction(body, key);
}

const chunkIds = Array.from({ length: CHUNKS }, (_, at) => new Uint8Array(32).fill(at + 1) as ChunkId);
const transactions = Array.from({ length: CHUNKS * IN_CHUNK }, (_, number) => transactionOf(number));
const chunks = new Map(
  chunkIds.map((id, at) => {
    const body = chunkBodyCodec.encode({
      transactions: transactions
        .slice(at * IN_CHUNK, (at + 1) * IN_CHUNK)
        .map(({ transaction }) => transactionCodec.encode(transaction)),
      batches: [],
    });
    const header = chunkHeader(body, { sequence: at, transactionCount: IN_CHUNK });
    return [to0x(id), signedChunkCodec.encode({ header, body, signature: new Uint8Array(192) })] as const;
  }),
);
const block: Block = {
  ...genesisBlock(genesisHash, 1),
  payload: chunkIds.map((chunkId) => ({ chunkId, certificate: undefined })),
};

/** Only the id is read. */
const receipts = transactions.map(({ transactionId }) => concatBytes(transactionId, new Uint8Array(40)));

function counted(get: (id: Uint8Array) => Uint8Array | undefined, kept: readonly Uint8Array[] | 'none' = receipts) {
  let reads = 0;
  const chunks = {
    async get(id: Uint8Array) {
      reads += 1;
      return get(id);
    },
  };
  const find = createCommittedTransactions(chunks, { receipts: async () => (kept === 'none' ? undefined : kept) });
  return { find, reads: () => reads };
}

const there = (id: Uint8Array) => chunks.get(to0x(id));

async function expectFound(find: TransactionOf, { transactionId, transaction }: (typeof transactions)[0]) {
  const found = await find(block, transactionId);
  expect(found && transactionIdOf(found.body)).toEqual(transactionIdOf(transaction.body));
}

it('transactions of a page at the end of a block read and decode each chunk once, not once per transaction', async () => {
  const { find, reads } = counted(there);
  for (const one of transactions.slice(-60)) await expectFound(find, one);
  expect(reads()).toBeLessThanOrEqual(CHUNKS);
});

it('transactions of a page in reverse order read and decode each chunk once too', async () => {
  const { find, reads } = counted(there);
  for (const one of transactions.slice(-60).reverse()) await expectFound(find, one);
  expect(reads()).toBeLessThanOrEqual(CHUNKS);
});

it('transactions of a block without earlier queries are found in the few chunks of a binary search', async () => {
  for (const one of transactions) {
    const { find, reads } = counted(there);
    await expectFound(find, one);
    expect(reads()).toBeLessThanOrEqual(Math.ceil(Math.log2(CHUNKS + 1)));
  }
});

it.each<[string, readonly Uint8Array[] | 'none']>([
  ['there are no receipts', 'none'],
  ['the receipts are of other transactions', [new Uint8Array(72).fill(1)]],
  ['the receipts are not in the order of the chunks', [...receipts].reverse()],
  ['only a few were executed', receipts.filter((_, at) => at % 7 === 0)],
])('transactions are found in any chunk when %s', async (_, kept) => {
  const some = transactions.filter((_, at) => at % 5 === 0);
  for (const one of some) await expectFound(counted(there, kept).find, one);
});

it('an unknown transaction is not found, and each chunk was read once', async () => {
  const { find, reads } = counted(there);
  expect(await find(block, new Uint8Array(32) as TransactionId)).toBeUndefined();
  expect(reads()).toBe(CHUNKS);
});

it('a transaction is searched again when its chunk was missing or unreadable', async () => {
  let state: 'missing' | 'broken' | 'there' = 'missing';
  const { find } = counted((id) => {
    if (state === 'broken') throw new Error('the disk is gone');
    return state === 'missing' ? undefined : chunks.get(to0x(id));
  });
  const { transactionId } = transactions[0] as (typeof transactions)[0];
  expect(await find(block, transactionId)).toBeUndefined();
  state = 'broken';
  await expect(find(block, transactionId)).rejects.toThrow('the disk is gone');
  state = 'there';
  expect(await find(block, transactionId)).toBeDefined();
});
