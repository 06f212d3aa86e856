/** Registrations by the SDK, checked as nodes do, and entries that are read with their proofs. */
import { verifyCompressed } from '@slipstream/crypto/native';
import { to0x } from '@slipstream/primitives';
import {
  accountKeyText,
  asId,
  compressKey,
  directoryLeaf,
  directoryProofCodec,
  ed25519Account,
  genesisToJson,
  merklePath,
  merkleRoot,
  registrationMessage,
  type TransactionId,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import { blsKeyPairFrom, type Client, generateBlsKeyPair, readProvenEntry, register } from '../src/index.ts';
import { genesis, genesisHash, proveReceipt, receiptsOf } from './real-chain.ts';

const account = ed25519Account(new Uint8Array(32).fill(1));

test('a registration proves the key to nodes, for this account only', () => {
  const pair = generateBlsKeyPair();
  expect(blsKeyPairFrom(pair.secret)).toEqual(pair);
  const { blsKey, proof } = register(pair, { account, genesisHash });
  expect(blsKey).toEqual(pair.publicKey);
  const key = compressKey(blsKey) as Uint8Array;
  const holdsFor = (fill: number) => {
    const other = ed25519Account(new Uint8Array(32).fill(fill));
    return verifyCompressed(key, registrationMessage(genesisHash, other, blsKey), proof);
  };
  expect([holdsFor(1), holdsFor(2)]).toEqual([true, false]);
});

test('no other secret than a number of the group makes a key', () => {
  for (const secret of [new Uint8Array(32), new Uint8Array(32).fill(255), new Uint8Array(31).fill(1)]) {
    expect(() => blsKeyPairFrom(secret)).toThrow(expect.objectContaining({ code: 'bad-argument' }));
  }
});

test('an entry is read and proven in one call; a proof of another entry, or on another chain, is refused', async () => {
  const entry = { account, blsKey: new Uint8Array(96).fill(11) };
  const leaves = [directoryLeaf(0, entry)];
  const roots = { batchesRoot: merkleRoot([]), batches: 0, directoryRoot: merkleRoot(leaves), directorySize: 1 };
  const { preimages, certificate } = proveReceipt(receiptsOf([asId<TransactionId>(new Uint8Array(32))], 7), 0, {
    later: 1,
    distilled: roots,
  });
  const proof = { index: 0, entry, path: merklePath(leaves, 0), preimages, certificate };
  const answer = { ssz: to0x(directoryProofCodec.encode(proof)) };
  const client = { directory: async () => answer } as unknown as Pick<Client, 'directory'>;
  const chain = genesisToJson(genesis);
  const text = accountKeyText(account);
  const proven = { proven: true, index: 0, account: text, blsKey: entry.blsKey };
  for (const asked of [0, text]) expect(await readProvenEntry(client, asked, chain)).toMatchObject(proven);
  const refused = expect.objectContaining({ code: 'malformed-answer' });
  await expect(readProvenEntry(client, 1, chain)).rejects.toEqual(refused);
  await expect(readProvenEntry(client, 0, { ...chain, chain: 'other' })).rejects.toEqual(refused);
});
