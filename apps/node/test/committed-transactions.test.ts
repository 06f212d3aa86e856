/** Transactions of committed blocks, out of the chunks that are kept. */
import { to0x } from '@slipstream/primitives';
import {
  type Block,
  type ChunkId,
  chunkBodyCodec,
  genesisBlock,
  genesisHashOf,
  signedChunkCodec,
  transactionCodec,
  transactionIdOf,
} from '@slipstream/types';
import { expect, it } from 'vitest';
import { buildTransaction, keyPairFrom, signTransaction, transfer } from '../../../packages/client/src/index.ts';
import { genesis } from '../../../packages/client/test/real-chain.ts';
import { createCommittedTransactions } from '../src/backend/committed-transactions.ts';

const CHUNKS = 40;
const IN_CHUNK = 3;
const key = keyPairFrom(new Uint8Array(32).fill(9));
const genesisHash = genesisHashOf(genesis);

function transactionOf(number: number) {
  const body = buildTransaction({
    ...{ genesisHash, sender: key.account, expiryMs: 1_900_000_000_000 },
    actions: [transfer(key.accountText, BigInt(number))],
  });
  return signTransaction(body, key);
}

const chunkIds = Array.from({ length: CHUNKS }, (_, at) => new Uint8Array(32).fill(at + 1) as ChunkId);
const transactions = Array.from({ length: CHUNKS * IN_CHUNK }, (_, number) => transactionOf(number));
const chunks = new Map(
  chunkIds.map((id, at) => {
    const body = chunkBodyCodec.encode(
      transactions
        .slice(at * IN_CHUNK, (at + 1) * IN_CHUNK)
        .map(({ transaction }) => transactionCodec.encode(transaction)),
    );
    const header = {
      ...{ epoch: 0, producer: 0, sequence: at, createdMs: 1, expiryMs: 2, bodyHash: new Uint8Array(32) },
      ...{ bodyBytes: body.length, transactionCount: IN_CHUNK, units: [1, 1, 1, 1, 1] },
    };
    return [to0x(id), signedChunkCodec.encode({ header, body, signature: new Uint8Array(192) })] as const;
  }),
);
const block: Block = {
  ...genesisBlock(genesisHash, 1),
  payload: chunkIds.map((chunkId) => ({ chunkId, certificate: undefined })),
};

function counted(get: (id: Uint8Array) => Uint8Array | undefined) {
  let reads = 0;
  const find = createCommittedTransactions({
    async get(id) {
      reads += 1;
      return get(id);
    },
  });
  return { find, reads: () => reads };
}

it('of a page at the end of a block read and decode each chunk once, not once for each transaction', async () => {
  const { find, reads } = counted((id) => chunks.get(to0x(id)));
  for (const { transactionId, transaction } of transactions.slice(-60)) {
    const found = await find(block, transactionId);
    expect(found && transactionIdOf(found.body)).toEqual(transactionIdOf(transaction.body));
  }
  expect(reads()).toBeLessThanOrEqual(CHUNKS);
});

it('are looked for again when the chunk was not there, or could not be read', async () => {
  let state: 'missing' | 'broken' | 'there' = 'missing';
  const { find } = counted((id) => {
    if (state === 'broken') throw new Error('the disk is away');
    return state === 'missing' ? undefined : chunks.get(to0x(id));
  });
  const { transactionId } = transactions[0] as (typeof transactions)[0];
  expect(await find(block, transactionId)).toBeUndefined();
  state = 'broken';
  await expect(find(block, transactionId)).rejects.toThrow('the disk is away');
  state = 'there';
  expect(await find(block, transactionId)).toBeDefined();
});
