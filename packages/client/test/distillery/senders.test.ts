/** Accounts of a distillery whose places are read from a node. */
import { ACCOUNT_ROWS_MAX } from '@slipstream/distilled/stream';
import { sha256, to0x, utf8 } from '@slipstream/primitives';
import {
  asId,
  createMerkleTree,
  directoryLeaf,
  directoryProofCodec,
  genesisToJson,
  merkleRoot,
  type TransactionId,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import { findSenders } from '../../src/distillery/senders.ts';
import { type Client, committeesOf, generateBlsKeyPair, keyPairFrom } from '../../src/index.ts';
import { genesis, proveReceipt, receiptsOf } from '../real-chain.ts';

const COUNT = 130;
const bls = generateBlsKeyPair();
const keys = Array.from({ length: COUNT }, (_, i) => ({ account: keyPairFrom(sha256(utf8(`sender ${i}`))), bls }));
const entries = keys.map(({ account }) => ({ account: account.account, blsKey: bls.publicKey }));
const tree = createMerkleTree(entries.map((entry, i) => directoryLeaf(i, entry)));
const { preimages, certificate } = proveReceipt(receiptsOf([asId<TransactionId>(new Uint8Array(32))], 7), 0, {
  distilled: { batchesRoot: merkleRoot([]), batches: 0, directoryRoot: tree.root, directorySize: COUNT },
});

async function chain() {
  const committees = committeesOf(genesisToJson(genesis));
  if (!committees.ok) throw new Error(committees.error);
  return committees.value;
}

/** `last` of an account: twice its index. */
function clientOf(asked: number[], answered = (texts: readonly string[]) => texts) {
  const indexOf = (text: string) => keys.findIndex(({ account }) => account.accountText === text);
  return {
    async directory(text: string) {
      const index = indexOf(text);
      const proof = {
        index,
        entry: entries[index] as (typeof entries)[number],
        path: tree.path(index),
        preimages,
        certificate,
      };
      return { ssz: to0x(directoryProofCodec.encode(proof)) };
    },
    async accounts(texts: readonly string[]) {
      asked.push(texts.length);
      return { items: answered(texts).map((account) => ({ account, last: 2 * indexOf(account) })), malformed: [] };
    },
  } as unknown as Pick<Client, 'directory' | 'accounts'>;
}

test('last sequences of many accounts are read a hundred at a time', async () => {
  const asked: number[] = [];
  const committees = await chain();
  const senders = await findSenders(keys, clientOf(asked), async () => committees);
  expect(asked).toEqual([100, 30]);
  expect([...senders.indices]).toEqual(Array.from(keys, (_, i) => i));
  for (const index of [0, 99, 100, COUNT - 1]) {
    expect(senders.get(index)?.sequences.take()).toBe(2 * index + ACCOUNT_ROWS_MAX + 1);
  }
});

test('an answer that is of other accounts is refused', async () => {
  const committees = await chain();
  const client = clientOf([], (texts) => texts.toReversed());
  const found = findSenders(keys.slice(0, 2), client, async () => committees);
  await expect(found).rejects.toMatchObject({ code: 'malformed-answer' });
});
