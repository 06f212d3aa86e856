/** Proofs of a chain with an account directory, with real signatures. */
import { to0x } from '@slipstream/primitives';
import { proofToJson } from '@slipstream/schema';
import {
  asId,
  type DirectoryProof,
  directoryLeaf,
  directoryProofCodec,
  ed25519Account,
  genesisToJson,
  merklePath,
  merkleRoot,
  type TransactionId,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import { verifyDirectoryProof, verifyProof } from '../src/index.ts';
import { flipBit, genesis, proveReceipt, receiptsOf } from './real-chain.ts';

const chain = genesisToJson(genesis);
const entries = Array.from({ length: 5 }, (_, i) => ({
  account: ed25519Account(new Uint8Array(32).fill(i + 1)),
  blsKey: new Uint8Array(96).fill(i + 11),
}));
const leaves = entries.map((entry, i) => directoryLeaf(i, entry));
const distilled = {
  batchesRoot: merkleRoot([]),
  batches: 0,
  directoryRoot: merkleRoot(leaves),
  directorySize: leaves.length,
};
const receipts = receiptsOf(
  [1, 2, 3].map((fill) => asId<TransactionId>(new Uint8Array(32).fill(fill))),
  7,
);
const inclusion = proveReceipt(receipts, 1, { later: 1, distilled });

function proofOf(index: number): DirectoryProof {
  const { preimages, certificate } = inclusion;
  const entry = entries[index] as DirectoryProof['entry'];
  return { index, entry, path: merklePath(leaves, index), preimages, certificate };
}

const textOf = (proof: DirectoryProof) => to0x(directoryProofCodec.encode(proof));

test('a receipt is proven on a chain with a directory as on any other', () => {
  expect(verifyProof(proofToJson(inclusion), chain)).toMatchObject({ ok: true });
});

test('an entry is proven with the genesis file alone', () => {
  expect(verifyDirectoryProof(textOf(proofOf(4)), chain)).toEqual({ ok: true, value: proofOf(4) });
});

test('a proof with any changed bit, or of a chain without a directory, is refused', () => {
  const bytes = directoryProofCodec.encode(proofOf(2));
  for (let bit = 3; bit < 8 * bytes.length; bit += 149) {
    expect(verifyDirectoryProof(to0x(flipBit(bytes, bit)), chain)).toMatchObject({ ok: false });
  }
  const { preimages, certificate } = proveReceipt(receipts, 1);
  expect(verifyDirectoryProof(textOf({ ...proofOf(2), preimages, certificate }), chain).ok).toBe(false);
  for (const input of ['', 'proof', '0x', '0xAB']) expect(verifyDirectoryProof(input, chain).ok).toBe(false);
});
